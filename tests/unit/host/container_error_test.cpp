#include "host/container_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "core/error_codes.hpp"
#include "fakes/scratch_directory.hpp"
#include "host/container_host.hpp"
#include "host/local_host.hpp"

namespace npuprof {
namespace {

using ::testing::HasSubstr;

struct Refused {
  const char* said;
  const char* meaning;
  const char* remedy;
};

TEST(ContainerError, EachRefusalOfAnEngineHasItsMeaningAndRemedy) {
  for (const auto& [said, meaning, remedy] : std::initializer_list<Refused>{
           {"permission denied while trying to connect to the Docker daemon socket", "may not use",
            "container_sudo"},
           {"Cannot connect to the Docker daemon at unix:///var/run/docker.sock", "does not run",
            "systemctl start docker"},
           {"Error response from daemon: No such container: mindie", "no such container", "ps -a"},
           {"Error: no container with name or ID \"mindie\" found", "no such container", "ps -a"},
           {"Error response from daemon: Container mindie is not running", "not running",
            "docker start mindie"},
           {"Error: container state improper", "not running", "docker start mindie"},
           {"Error response from daemon: Container mindie is paused, unpause the container",
            "paused", "docker unpause mindie"},
           {"Container mindie is restarting, wait until the container is running", "restarting",
            "docker logs mindie"},
           {"unable to find user dev: no matching entries in passwd file", "not known in it",
            "/etc/passwd"},
           {"sudo: a password is required", "password", "NOPASSWD"},
           {"exec: \"/bin/sh\": stat /bin/sh: no such file", "no /bin/sh", "shell"}}) {
    const Error error = container_error("docker", "mindie", "dev@npu-a2", said, 1);
    EXPECT_EQ(error.code, codes::container_unavailable);
    EXPECT_THAT(error.message, HasSubstr(meaning)) << said;
    EXPECT_THAT(error.message, HasSubstr("Nothing was run")) << said;
    EXPECT_THAT(error.remedy, HasSubstr(remedy)) << said;
  }
}

TEST(ContainerError, AMissingEngineIsNamed) {
  const Error error =
      container_error("podman", "mindie", "npu-a2", "sh: 1: exec: podman: not found", 127);
  EXPECT_EQ(error.code, codes::container_unavailable);
  EXPECT_THAT(error.message, HasSubstr("no podman"));
}

TEST(ContainerError, WhatNobodyKnowsIsQuoted) {
  EXPECT_THAT(container_error("docker", "mindie", "npu-a2", "flux capacitor empty", 1).message,
              HasSubstr("flux capacitor empty"));
}

TEST(ContainerHost, ARefusalIsTheAnswerToACommand) {
  const fakes::ScratchDirectory scratch;
  std::ofstream(scratch / "docker")
      << "#!/bin/sh\necho 'Error response from daemon: Container mindie is not running' >&2\n"
      << "exit 1\n";
  std::filesystem::permissions(scratch / "docker", std::filesystem::perms(0755));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (scratch.path().string() + ":" + path).c_str(), 1);
  Target target;
  target.container = "mindie";
  ContainerHost host(std::make_shared<LocalHost>(), target);
  auto output = host.shell("echo reached");
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, codes::container_unavailable);
  EXPECT_EQ(output.error().remedy, "Run `docker start mindie`.");
}

}  // namespace
}  // namespace npuprof
