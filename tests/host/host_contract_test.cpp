// What every maker of Host promises.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/error_codes.hpp"
#include "fakes/scratch_directory.hpp"
#include "host/local_host.hpp"
#include "host_under_test.hpp"

namespace npuprof {
namespace {

using namespace std::chrono_literals;
using Kind = ProcessEvent::Kind;

class HostContract : public ::testing::TestWithParam<HostKind> {
 protected:
  void SetUp() override {
    setup_ = make_host(GetParam());
    if (!setup_->missing.empty()) GTEST_SKIP() << setup_->missing;
  }

  Host& host() { return *setup_->host; }
  std::string path(const std::string& name) const { return setup_->directory + "/" + name; }

  CommandOutput capture(const Command& command, std::string_view stdin_bytes = {}) {
    auto output = host().capture(command, stdin_bytes);
    if (!output) {
      ADD_FAILURE() << output.error().code << ": " << output.error().message;
      return {};
    }
    return std::move(*output);
  }

  CommandOutput sh(const std::string& script, const std::vector<std::string>& args = {}) {
    auto output = host().shell(script, args);
    if (!output) {
      ADD_FAILURE() << output.error().code << ": " << output.error().message;
      return {};
    }
    return std::move(*output);
  }

  // True once no process of this machine has `text` in its command line; false after 5 s.
  bool gone(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    while (count_processes(text) > 0) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(10ms);
    }
    return true;
  }

  std::unique_ptr<HostUnderTest> setup_;
};

TEST_P(HostContract, argv_arrives_byte_for_byte) {
  const std::vector<std::string> odd = {"",
                                        " ",
                                        "a b",
                                        "line\nbreak",
                                        "\n",
                                        "tab\t",
                                        "'single'",
                                        "\"double\"",
                                        "$HOME",
                                        "`id`",
                                        "$(id)",
                                        "back\\slash",
                                        "\\",
                                        "trailing\\\n",
                                        "*",
                                        "?[a]",
                                        "!event",
                                        "~",
                                        "a;b|c&d",
                                        "# no comment",
                                        "-n",
                                        "--",
                                        "=",
                                        "%s",
                                        "\xE4\xB8\xAD\xE6\x96\x87",
                                        "\xF0\x9F\x9A\x80",
                                        "\xFF\xFE",
                                        "\x01\x7F\x1B[31m",
                                        "\r\n",
                                        std::string(100'000, 'x') + "'"};
  Command command{.argv = {"/bin/sh", "-c", R"(for a; do printf '%s\0' "$a"; done)", "sh"}};
  command.argv.insert(command.argv.end(), odd.begin(), odd.end());
  std::string expected;
  for (const auto& argument : odd) expected += argument + '\0';
  const auto output = capture(command);
  EXPECT_TRUE(output.exit.ok()) << output.err;
  EXPECT_TRUE(output.out == expected);
  EXPECT_EQ(output.err, "");
}

TEST_P(HostContract, every_byte_but_nul_passes_in_an_argument) {
  std::string bytes;
  for (int byte = 1; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const auto output = capture({.argv = {"/bin/sh", "-c", R"(printf %s "$1")", "sh", bytes}});
  EXPECT_TRUE(output.out == bytes);
}

TEST_P(HostContract, an_argument_with_a_nul_byte_is_refused) {
  auto output = host().capture({.argv = {"echo", std::string("a\0b", 3)}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, codes::invalid_arguments);
}

TEST_P(HostContract, standard_input_of_ten_megabytes_comes_back_unchanged) {
  std::string bytes(10 << 20, '\0');
  unsigned state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24);
  const auto output = capture({.argv = {"cat"}}, bytes);
  EXPECT_TRUE(output.exit.ok());
  EXPECT_TRUE(output.out == bytes);
}

TEST_P(HostContract, standard_input_that_nobody_reads_does_no_harm) {
  const auto output = capture({.argv = {"true"}}, std::string(4 << 20, 'x'));
  EXPECT_TRUE(output.exit.ok());
}

TEST_P(HostContract, a_command_without_input_sees_its_end_at_once) {
  EXPECT_EQ(capture({.argv = {"wc", "-c"}}).out, "0\n");
}

TEST_P(HostContract, a_hundred_megabytes_stream_through_whole) {
  std::uint64_t bytes = 0;
  bool zeros = true;
  auto exit = host().run(
      {.argv = {"head", "-c", "104857600", "/dev/zero"}}, {},
      [&](std::string_view part) {
        bytes += part.size();
        zeros = zeros && part.find_first_not_of('\0') == part.npos;
      },
      [](std::string_view) {});
  ASSERT_TRUE(exit) << exit.error().message;
  EXPECT_TRUE(exit->ok());
  EXPECT_EQ(bytes, 104857600U);
  EXPECT_TRUE(zeros);
}

TEST_P(HostContract, a_command_waits_for_a_caller_that_does_not_read) {
  const std::string counter = path("written");
  auto process = host().start(
      {.argv =
           {"/bin/sh", "-c",
            R"(i=0; while [ $i -lt 64 ]; do head -c 1048576 /dev/zero; i=$((i+1)); echo $i >"$1"; done)",
            "sh", counter}},
      {});
  ASSERT_TRUE(process) << process.error().message;
  // Nothing is read: the command comes to a stand well before its end, and stays there.
  std::string before;
  std::string now = "-";
  while (before != now) {
    before = now;
    std::this_thread::sleep_for(300ms);
    std::ifstream(setup_->here(counter)) >> now;
  }
  EXPECT_LT(std::stoi(now == "-" ? "0" : now), 32);
  std::uint64_t bytes = 0;
  while (true) {
    auto event = (*process)->next(std::chrono::steady_clock::now() + 10s, {});
    ASSERT_TRUE(event) << event.error().message;
    if (event->kind == Kind::exited) break;
    bytes += event->bytes.size();
  }
  EXPECT_EQ(bytes, 64U << 20);
}

TEST_P(HostContract, a_flood_on_standard_error_does_not_hide_the_output) {
  const auto output =
      sh("head -c 20000000 /dev/zero >&2 & head -c 1000000 /dev/zero; wait; echo end");
  EXPECT_EQ(output.out.size(), 1000004U);
  EXPECT_EQ(output.err.size(), std::min<std::size_t>(20000000, 16 << 20));
  EXPECT_TRUE(output.truncated);
}

TEST_P(HostContract, capture_keeps_the_head_of_a_stream_that_is_too_long) {
  auto output = host().capture({.argv = {"printf", "abcdefgh"}}, {}, {}, 3);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "abc");
  EXPECT_TRUE(output->truncated);
}

TEST_P(HostContract, streams_are_kept_apart) {
  const auto output = sh("echo out; echo err >&2");
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
}

TEST_P(HostContract, exit_status_is_told) {
  EXPECT_EQ(sh("exit 0").exit.status, 0);
  EXPECT_EQ(sh("exit 7").exit.status, 7);
  EXPECT_EQ(sh("exit 255").exit.status, 255);
  EXPECT_EQ(sh("exit 7").exit.signal, "");
}

TEST_P(HostContract, death_by_signal_is_told) {
  const auto killed = sh("kill -KILL $$").exit;
  EXPECT_EQ(killed.status, 137);
  EXPECT_FALSE(killed.ok());
  const auto terminated = sh("kill -TERM $$").exit;
  EXPECT_EQ(terminated.status, 143);
  if (GetParam().tells_signals) {
    EXPECT_EQ(killed.signal, "KILL");
    EXPECT_EQ(terminated.signal, "TERM");
  }
}

TEST_P(HostContract, a_missing_program_exits_with_127) {
  const auto output = capture({.argv = {"npuprof-no-such-program", "x"}});
  EXPECT_EQ(output.exit.status, 127);
  EXPECT_NE(output.err, "");
}

TEST_P(HostContract, a_working_directory_is_entered_or_the_command_is_not_run) {
  const std::string odd = path("a 'b\n c");
  ASSERT_TRUE(host().make_directory(odd));
  EXPECT_EQ(capture({.argv = {"pwd"}, .cwd = odd}).out, odd + "\n");
  const auto missing = capture({.argv = {"touch", path("ran")}, .cwd = path("none")});
  EXPECT_EQ(missing.exit.status, 126);
  EXPECT_NE(missing.err, "");
  EXPECT_FALSE(host().stat(path("ran")));
}

TEST_P(HostContract, variables_reach_the_command_unchanged) {
  const std::string odd = "a 'b' \"c\" $d `e` \\ \n f";
  const auto output =
      capture({.argv = {"/bin/sh", "-c", R"(printf %s "$NPUPROF_TEST_ODD|$PATH")"},
               .env = {{"NPUPROF_TEST_ODD", odd}, {"PATH", "/npuprof-test:/usr/bin:/bin"}}});
  EXPECT_EQ(output.out, odd + "|/npuprof-test:/usr/bin:/bin");
}

TEST_P(HostContract, a_program_is_looked_up_on_the_path_given_with_the_command) {
  ASSERT_TRUE(host().make_directory(path("bin")));
  ASSERT_TRUE(host().write_file(path("bin/npuprof-own"), "#!/bin/sh\necho found\n", 0755));
  const auto output =
      capture({.argv = {"npuprof-own"}, .env = {{"PATH", path("bin") + ":/usr/bin:/bin"}}});
  EXPECT_EQ(output.out, "found\n");
}

TEST_P(HostContract, several_commands_run_at_once) {
  // Each waits for the other's file: one after the other they would never end.
  constexpr int count = 4;
  std::vector<std::jthread> threads;
  std::array<Result<CommandOutput>, count> outputs;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      outputs[i] = host().shell(
          R"(: >"$1/at-$2"; while [ $(ls "$1" | grep -c '^at-') -lt 4 ]; do sleep 0.05; done; echo $2)",
          {setup_->directory, std::to_string(i)});
    });
  }
  threads.clear();
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(outputs[i]) << outputs[i].error().message;
    EXPECT_EQ(outputs[i]->out, std::to_string(i) + "\n");
  }
}

TEST_P(HostContract, more_commands_than_channels_wait_their_turn) {
  constexpr int count = 16;
  std::vector<std::jthread> threads;
  std::array<Result<CommandOutput>, count> outputs;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(
        [&, i] { outputs[i] = host().shell("sleep 0.1; echo $1", {std::to_string(i)}); });
  }
  threads.clear();
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(outputs[i]) << outputs[i].error().message;
    EXPECT_EQ(outputs[i]->out, std::to_string(i) + "\n");
  }
}

// A tree with a child in the group, one in a session of its own, and one that ignores TERM; all
// have `name` in their command line.
std::string stubborn_tree(const std::string& name) {
  return "trap '' TERM; sleep 300 & setsid sh -c 'trap \"\" TERM; while :; do sleep 0.2; done' " +
         name + " & sh -c 'while :; do sleep 0.2; done' " + name + " & echo up; wait; sleep 300";
}

TEST_P(HostContract, the_time_limit_ends_the_whole_tree) {
  const std::string name = "npuprof-tree-" + setup_->token;
  const auto begin = std::chrono::steady_clock::now();
  auto output =
      host().capture({.argv = {"/bin/sh", "-c", stubborn_tree(name), name}, .timeout = 1500ms});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, codes::timed_out);
  EXPECT_NE(output.error().message.find("1500 ms"), std::string::npos) << output.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 8s);
  EXPECT_TRUE(gone(name));
}

TEST_P(HostContract, cancelling_ends_the_whole_tree) {
  const std::string name = "npuprof-tree-" + setup_->token;
  std::stop_source stop;
  auto process =
      host().start({.argv = {"/bin/sh", "-c", stubborn_tree(name), name}}, stop.get_token());
  ASSERT_TRUE(process) << process.error().message;
  auto event = (*process)->next(std::chrono::steady_clock::now() + 20s, stop.get_token());
  ASSERT_TRUE(event);
  EXPECT_EQ(event->bytes, "up\n");
  std::jthread canceller([&] { stop.request_stop(); });
  event = (*process)->next(std::chrono::steady_clock::now() + 20s, stop.get_token());
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, codes::cancelled);
  EXPECT_TRUE(gone(name));
}

TEST_P(HostContract, letting_go_of_a_command_ends_the_whole_tree) {
  const std::string name = "npuprof-tree-" + setup_->token;
  {
    auto process = host().start({.argv = {"/bin/sh", "-c", stubborn_tree(name), name}}, {});
    ASSERT_TRUE(process) << process.error().message;
    auto event = (*process)->next(std::chrono::steady_clock::now() + 20s, {});
    ASSERT_TRUE(event);
    EXPECT_EQ(event->bytes, "up\n");
  }
  EXPECT_TRUE(gone(name));
}

TEST_P(HostContract, what_a_command_left_running_on_purpose_outlives_it) {
  const std::string name = "npuprof-left-" + setup_->token;
  const auto output = sh("setsid sh -c 'sleep 0.3; echo $$ >\"$1\"; exec sleep 0.3' " + name +
                             " \"$1\" </dev/null >/dev/null 2>&1 & echo $!",
                         {path("left")});
  EXPECT_TRUE(output.exit.ok());
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  while (!std::filesystem::exists(setup_->here(path("left"))) &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(std::filesystem::exists(setup_->here(path("left"))));
  EXPECT_TRUE(gone(name));
}

TEST_P(HostContract, next_returns_at_the_time_asked_for) {
  auto process = host().start({.argv = {"sleep", "60"}}, {});
  ASSERT_TRUE(process);
  const auto until = std::chrono::steady_clock::now() + 200ms;
  auto event = (*process)->next(until, {});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::nothing_yet);
  EXPECT_GE(std::chrono::steady_clock::now(), until);
  EXPECT_LT(std::chrono::steady_clock::now(), until + 2s);
}

TEST_P(HostContract, a_conversation_goes_both_ways) {
  auto process = host().start({.argv = {"cat"}}, {});
  ASSERT_TRUE(process);
  const auto read = [&](std::size_t size) {
    std::string got;
    while (got.size() < size) {
      auto event = (*process)->next(std::chrono::steady_clock::now() + 10s, {});
      if (!event || event->kind != Kind::out) break;
      got += event->bytes;
    }
    return got;
  };
  (*process)->write("one\n");
  EXPECT_EQ(read(4), "one\n");
  (*process)->write("two\n");
  EXPECT_EQ(read(4), "two\n");
  (*process)->close_stdin();
  auto event = (*process)->next(std::chrono::steady_clock::now() + 10s, {});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::exited);
  EXPECT_TRUE(event->exit.ok());
}

// Files.

TEST_P(HostContract, a_file_is_written_whole_and_read_back) {
  std::string bytes(3'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
  ASSERT_TRUE(host().write_file(path("data"), bytes));
  auto back = host().read_file(path("data"), 10'000'000);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == bytes);
}

TEST_P(HostContract, a_part_of_a_file_is_read_from_its_offset) {
  ASSERT_TRUE(host().write_file(path("data"), "0123456789"));
  EXPECT_EQ(host().read_file(path("data"), 3).value(), "012");
  EXPECT_EQ(host().read_file(path("data"), 3, 4).value(), "456");
  EXPECT_EQ(host().read_file(path("data"), 30, 8).value(), "89");
  EXPECT_EQ(host().read_file(path("data"), 3, 10).value(), "");
  EXPECT_EQ(host().read_file(path("data"), 3, 1000).value(), "");
}

TEST_P(HostContract, a_written_file_has_the_mode_asked_for_and_leaves_no_temporary_file) {
  ASSERT_TRUE(host().write_file(path("secret"), "x"));
  ASSERT_TRUE(host().write_file(path("tool"), "x", 0755));
  ASSERT_TRUE(host().write_file(path("secret"), ""));
  EXPECT_EQ(host().stat(path("secret"))->mode, 0600U);
  EXPECT_EQ(host().stat(path("secret"))->size, 0U);
  EXPECT_EQ(host().stat(path("tool"))->mode, 0755U);
  EXPECT_EQ(host().list_directory(setup_->directory)->size(), 2U);
}

TEST_P(HostContract, a_failed_write_keeps_the_old_file_and_leaves_nothing_behind) {
  ASSERT_TRUE(host().make_directory(path("directory")));
  auto onto_directory = host().write_file(path("directory"), "x");
  ASSERT_FALSE(onto_directory);
  EXPECT_EQ(onto_directory.error().code, codes::io_error);
  auto below_nothing = host().write_file(path("none/file"), "x");
  ASSERT_FALSE(below_nothing);
  EXPECT_EQ(below_nothing.error().code, codes::not_found);
  EXPECT_EQ(host().list_directory(setup_->directory)->size(), 1U);
  EXPECT_EQ(host().list_directory(path("directory"))->size(), 0U);
}

TEST_P(HostContract, a_full_disk_is_told_apart) {
  auto full = host().write_file("/dev/full/x", "x");  // not a directory
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, codes::not_found);
  if (setup_->full_directory.empty()) GTEST_SKIP() << "no file system can be mounted here";
  auto written = host().write_file(setup_->full_directory + "/big", std::string(4 << 20, 'x'));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, codes::no_space) << written.error().message;
  EXPECT_EQ(host().list_directory(setup_->full_directory)->size(), 0U);
}

TEST_P(HostContract, a_missing_path_is_not_found) {
  for (const auto& code :
       {host().read_file(path("none"), 10).error().code, host().stat(path("none")).error().code,
        host().read_file(path("none"), 10, 5).error().code,
        host().list_directory(path("none")).error().code,
        host().make_directory(path("none/below")).error().code}) {
    EXPECT_EQ(code, codes::not_found);
  }
}

TEST_P(HostContract, a_path_named_like_an_error_is_no_error) {
  const std::string odd = path("Permission denied");
  auto missing = host().read_file(odd, 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, codes::not_found);
}

TEST_P(HostContract, what_the_login_user_may_not_touch_is_permission_denied) {
  if (GetParam().is_root) GTEST_SKIP() << "root may touch everything";
  EXPECT_EQ(host().read_file("/etc/shadow", 10).error().code, codes::permission_denied);
  EXPECT_EQ(host().write_file("/etc/npuprof-test", "x").error().code, codes::permission_denied);
  EXPECT_EQ(host().list_directory("/root").error().code, codes::permission_denied);
  EXPECT_EQ(host().make_directory("/etc/npuprof-test").error().code, codes::permission_denied);
}

TEST_P(HostContract, reading_a_directory_or_a_fifo_fails_instead_of_waiting) {
  ASSERT_EQ(sh("mkfifo \"$1\"", {path("fifo")}).exit.status, 0);
  EXPECT_EQ(host().read_file(path("fifo"), 10).error().code, codes::io_error);
  EXPECT_EQ(host().read_file(setup_->directory, 10).error().code, codes::io_error);
  EXPECT_EQ(host().read_file(setup_->directory, 10, 3).error().code, codes::io_error);
}

TEST_P(HostContract, making_a_directory_happens_once) {
  EXPECT_TRUE(host().make_directory(path("new"), 0750));
  EXPECT_EQ(host().stat(path("new"))->mode, 0750U);
  EXPECT_EQ(host().stat(path("new"))->type, FileType::directory);
  auto again = host().make_directory(path("new"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, codes::already_exists);
}

TEST_P(HostContract, stat_looks_at_a_link_itself) {
  ASSERT_EQ(sh("ln -s /nowhere/at/all \"$1\"", {path("link")}).exit.status, 0);
  auto info = host().stat(path("link"));
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->type, FileType::symlink);
}

TEST_P(HostContract, stat_tells_size_time_and_owner) {
  ASSERT_TRUE(host().write_file(path("file"), "12345"));
  ASSERT_EQ(sh("touch -d @1700000000 \"$1\"", {path("file")}).exit.status, 0);
  auto info = host().stat(path("file"));
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->type, FileType::regular);
  EXPECT_EQ(info->size, 5U);
  EXPECT_EQ(info->modified_s, 1700000000);
  EXPECT_EQ(info->owner + "\n", sh("id -un").out);
}

TEST_P(HostContract, a_listing_has_every_entry_whatever_its_name) {
  const std::vector<std::string> names = {"plain",
                                          ".hidden",
                                          "..double",
                                          "-rf",
                                          "new\nline",
                                          "'quote\"",
                                          "sp ace",
                                          "star*",
                                          "tab\t",
                                          "back\\slash",
                                          "\xFF\xFEraw",
                                          "\xE4\xB8\xAD",
                                          std::string(255, 'n')};
  ASSERT_TRUE(host().make_directory(path("dir")));
  for (const auto& name : names) {
    ASSERT_TRUE(host().write_file(path("dir/" + name), name)) << name;
  }
  ASSERT_TRUE(host().make_directory(path("dir/sub")));
  ASSERT_EQ(sh("ln -s sub \"$1\"", {path("dir/link")}).exit.status, 0);
  auto entries = host().list_directory(path("dir"));
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(entries->size(), names.size() + 2);
  for (const auto& entry : *entries) {
    if (entry.name == "sub") {
      EXPECT_EQ(entry.info.type, FileType::directory);
    } else if (entry.name == "link") {
      EXPECT_EQ(entry.info.type, FileType::symlink);
    } else {
      EXPECT_NE(std::find(names.begin(), names.end(), entry.name), names.end()) << entry.name;
      EXPECT_EQ(entry.info.type, FileType::regular);
      EXPECT_EQ(entry.info.size, entry.name.size());
      EXPECT_EQ(host().read_file(path("dir/" + entry.name), 1000).value(), entry.name);
    }
  }
}

TEST_P(HostContract, an_empty_directory_lists_as_empty) {
  EXPECT_TRUE(host().list_directory(setup_->directory)->empty());
}

INSTANTIATE_TEST_SUITE_P(All, HostContract, ::testing::ValuesIn(host_kinds()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace npuprof
