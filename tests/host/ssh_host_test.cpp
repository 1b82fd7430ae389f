// What is SshHost's own: keys, logins, configuration, and what a network does.
#include "host/ssh_host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <fstream>

#include "core/error_codes.hpp"
#include "fakes/scratch_directory.hpp"
#include "fakes/test_sshd.hpp"
#include "host/local_host.hpp"
#include "relay.hpp"

namespace npuprof {
namespace {

using namespace std::chrono_literals;
using fakes::run_or_throw;
using fakes::ScratchDirectory;
using fakes::TestSshd;
using ::testing::HasSubstr;
using ::testing::Not;
using Steady = std::chrono::steady_clock;

std::string said_by(Host& host, const std::string& script) {
  auto output = host.shell(script);
  if (!output) return output.error().code + ": " + output.error().message;
  return output->out;
}

Error error_of(const Target& target) {
  SshHost host(target);
  auto output = host.shell("echo reached");
  if (output) {
    ADD_FAILURE() << "the command ran: " << output->out << output->err;
    return {};
  }
  EXPECT_FALSE(output.error().remedy.empty());
  return output.error();
}

void append(const std::filesystem::path& file, const std::string& line) {
  std::ofstream(file, std::ios::app) << line << "\n";
}

void write_script(const std::filesystem::path& file, const std::string& body) {
  std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
  std::filesystem::permissions(file, std::filesystem::perms(0700));
}

class SshHostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto why = TestSshd::missing(); !why.empty()) GTEST_SKIP() << why;
  }
};

// With an account of the test's own.
class SshAccountTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto why = TestSshd::missing_account(); !why.empty()) GTEST_SKIP() << why;
  }

  static std::unique_ptr<TestSshd> start(TestSshd::Account account,
                                         std::vector<std::string> config = {}) {
    return TestSshd::start({.config = std::move(config), .account = std::move(account)});
  }
};

// Host keys.

TEST_F(SshHostTest, an_unknown_host_key_is_refused_with_its_fingerprint_and_the_line_to_add) {
  const auto sshd = TestSshd::start();
  const ScratchDirectory scratch;
  Target target = sshd->target();
  target.known_hosts = scratch / "known_hosts";
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::host_key_unknown);
  const auto shown = run_or_throw({"ssh-keygen", "-lf", sshd->directory() / "host_key.pub"});
  const auto begin = shown.find("SHA256:");
  const auto fingerprint = shown.substr(begin, shown.find(' ', begin) - begin);
  EXPECT_THAT(error.message, HasSubstr(fingerprint));
  EXPECT_THAT(sshd->log(), Not(HasSubstr("Accepted")));
  EXPECT_FALSE(std::filesystem::exists(target.known_hosts));

  append(target.known_hosts, error.details.at("line").get<std::string>());
  SshHost host(target);
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

TEST_F(SshHostTest, without_known_hosts_the_file_below_HOME_counts_and_is_named) {
  const auto sshd = TestSshd::start();
  const ScratchDirectory home;
  Target target = sshd->target();
  target.known_hosts.clear();
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", home.path().c_str(), 1);
  const auto error = error_of(target);
  const std::string file = home / ".ssh/known_hosts";
  EXPECT_THAT(error.remedy, HasSubstr("to " + file + ": "));
  std::filesystem::create_directory(home / ".ssh");
  append(file, error.details.at("line").get<std::string>());
  {
    SshHost host(target);
    EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
  }
  ::setenv("HOME", before.c_str(), 1);
}

TEST_F(SshHostTest, a_changed_host_key_has_a_code_of_its_own) {
  const auto sshd = TestSshd::start();
  const auto other = TestSshd::start();
  Target target = sshd->target();
  target.known_hosts = sshd->directory() / "wrong";
  append(target.known_hosts,
         "[127.0.0.1]:" + std::to_string(sshd->port()) + " " + other->host_key());
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::host_key_changed);
  EXPECT_THAT(error.message, HasSubstr("SHA256:"));
  EXPECT_THAT(sshd->log(), Not(HasSubstr("Accepted")));
}

TEST_F(SshHostTest, hashed_known_hosts_are_understood) {
  const auto sshd = TestSshd::start();
  run_or_throw({"ssh-keygen", "-q", "-H", "-f", sshd->known_hosts()});
  SshHost host(sshd->target());
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

// Logins.

TEST_F(SshHostTest, a_key_that_the_host_does_not_know_is_refused) {
  const auto sshd = TestSshd::start();
  const ScratchDirectory scratch;
  run_or_throw({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", scratch / "other"});
  Target target = sshd->target();
  target.identity_file = scratch / "other";
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::auth_failed);
  EXPECT_THAT(error.message, HasSubstr((scratch / "other").string() + " (refused)"));
  EXPECT_THAT(error.message, HasSubstr("publickey"));
}

TEST_F(SshHostTest, a_missing_or_broken_key_file_is_named) {
  const auto sshd = TestSshd::start();
  const ScratchDirectory scratch;
  Target target = sshd->target();
  target.identity_file = scratch / "none";
  EXPECT_THAT(error_of(target).message, HasSubstr("there is no such file"));
  append(scratch / "junk", "no key");
  target.identity_file = scratch / "junk";
  EXPECT_THAT(error_of(target).message, HasSubstr("is no key"));
}

TEST_F(SshHostTest, a_key_with_a_passphrase_opens_with_its_command) {
  const auto sshd = TestSshd::start();
  run_or_throw({"ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", sshd->identity()});
  write_script(sshd->directory() / "pass", "echo 'open sesame'; echo ignored");
  Target target = sshd->target();
  EXPECT_THAT(error_of(target).message, HasSubstr("needs a passphrase"));

  target.passphrase_command = {sshd->directory() / "pass"};
  SshHost host(target);
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");

  write_script(sshd->directory() / "pass", "echo 'close sesame'");
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::auth_failed);
  EXPECT_THAT(error.message, HasSubstr("wrong passphrase"));
  EXPECT_THAT(error.message, Not(HasSubstr("sesame")));

  write_script(sshd->directory() / "pass", "echo 'the vault is shut: s3cret' >&2; exit 3");
  const auto failed = error_of(target);
  EXPECT_EQ(failed.code, codes::auth_failed);
  EXPECT_THAT(failed.message, HasSubstr("exit status 3"));
  EXPECT_THAT(failed.message, Not(HasSubstr("s3cret")));
}

TEST_F(SshHostTest, an_agent_logs_in_by_its_socket) {
  const auto sshd = TestSshd::start();
  const ScratchDirectory scratch;
  const std::string socket = scratch / "agent";
  LocalHost here;
  auto agent = here.start({.argv = {"ssh-agent", "-D", "-a", socket}, .timeout = 60s}, {});
  ASSERT_TRUE(agent);
  while (!std::filesystem::exists(socket)) {
    auto event = (*agent)->next(Steady::now() + 10ms, {});
    ASSERT_TRUE(event) << event.error().message;
    ASSERT_NE(event->kind, ProcessEvent::Kind::exited);
  }
  auto added = here.capture(
      {.argv = {"ssh-add", "-q", sshd->identity()}, .env = {{"SSH_AUTH_SOCK", socket}}});
  ASSERT_TRUE(added && added->exit.ok()) << added->err;

  Target target = sshd->target();
  target.identity_file.clear();
  target.identity_agent = socket;
  SshHost host(target);
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

TEST_F(SshHostTest, a_user_certificate_logs_in) {
  const ScratchDirectory scratch;
  run_or_throw({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", scratch / "ca"});
  const auto sshd =
      TestSshd::start({.config = {"TrustedUserCAKeys " + (scratch / "ca.pub").string()}});
  std::ofstream(sshd->directory() / "authorized_keys");  // the certificate alone must do
  Target target = sshd->target();
  EXPECT_EQ(error_of(target).code, codes::auth_failed);

  const std::string user = run_or_throw({"id", "-un"});
  run_or_throw({"ssh-keygen", "-q", "-s", scratch / "ca", "-I", "test", "-n",
                user.substr(0, user.size() - 1), sshd->identity().string() + ".pub"});
  target.certificate_file = sshd->identity().string() + "-cert.pub";
  SshHost host(target);
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

TEST_F(SshAccountTest, a_password_logs_in_from_a_variable_or_a_command) {
  const auto sshd = start({.password = "s3cret pass"}, {"PasswordAuthentication yes"});
  Target target = sshd->target();
  target.identity_file.clear();
  target.identity_agent = "/nonexistent";
  target.password_env = "NPUPROF_TEST_PASSWORD";
  ::unsetenv("NPUPROF_TEST_PASSWORD");
  EXPECT_THAT(error_of(target).message, HasSubstr("NPUPROF_TEST_PASSWORD"));

  ::setenv("NPUPROF_TEST_PASSWORD", "wr0ng pass", 1);
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::auth_failed);
  EXPECT_THAT(error.message, HasSubstr("password (refused)"));
  EXPECT_THAT(Json(error).dump(), Not(HasSubstr("wr0ng")));

  ::setenv("NPUPROF_TEST_PASSWORD", "s3cret pass", 1);
  SshHost by_variable(target);
  EXPECT_EQ(said_by(by_variable, "id -un"), "npuprof-test\n");
  ::unsetenv("NPUPROF_TEST_PASSWORD");

  target.password_env.clear();
  target.password_command = {"printf", "s3cret pass\nmore\n"};
  SshHost by_command(target);
  EXPECT_EQ(said_by(by_command, "id -un"), "npuprof-test\n");
}

TEST_F(SshAccountTest, keyboard_interactive_is_answered_with_the_password) {
  if (!std::filesystem::exists("/etc/pam.d/sshd")) GTEST_SKIP() << "no PAM configuration for sshd";
  const auto sshd =
      start({.password = "s3cret pass"}, {"UsePAM yes", "KbdInteractiveAuthentication yes",
                                          "AuthenticationMethods keyboard-interactive"});
  Target target = sshd->target();
  target.password_command = {"echo", "s3cret pass"};
  SshHost host(target);
  EXPECT_EQ(said_by(host, "id -un"), "npuprof-test\n") << sshd->log();
  target.password_command = {"echo", "wrong"};
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::auth_failed);
  EXPECT_THAT(error.message, HasSubstr("keyboard-interactive (refused)"));
}

TEST_F(SshAccountTest, key_and_password_together_log_in_where_the_host_wants_both) {
  const auto sshd =
      start({.password = "s3cret pass"},
            {"PasswordAuthentication yes", "AuthenticationMethods publickey,password"});
  Target target = sshd->target();
  const auto error = error_of(target);
  EXPECT_THAT(error.message, HasSubstr("accepted, but not enough"));
  target.password_command = {"echo", "s3cret pass"};
  SshHost host(target);
  EXPECT_EQ(said_by(host, "id -un"), "npuprof-test\n");
}

TEST_F(SshHostTest, a_banner_is_no_part_of_the_output) {
  const ScratchDirectory scratch;
  append(scratch / "banner", "Authorised use only!");
  const auto sshd = TestSshd::start({.config = {"Banner " + (scratch / "banner").string()}});
  SshHost host(sshd->target());
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

// The ssh configuration.

TEST_F(SshHostTest, an_alias_of_the_ssh_configuration_is_honoured) {
  const auto sshd = TestSshd::start();
  const auto config = sshd->directory() / "ssh_config";
  append(config, "Host npu-a2\n HostName 127.0.0.1\n Port " + std::to_string(sshd->port()) +
                     "\n IdentityFile " + sshd->identity().string());
  Target target = sshd->target();
  target.host = "npu-a2";
  target.port = 0;
  target.identity_file.clear();
  target.identity_agent = "/nonexistent";
  target.ssh_config = config;
  SshHost host(target);
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

TEST_F(SshHostTest, include_in_the_ssh_configuration_is_honoured) {
  const auto sshd = TestSshd::start();
  const auto config = sshd->directory() / "ssh_config";
  append(sshd->directory() / "included",
         "Host npu-*\n HostName 127.0.0.1\n Port " + std::to_string(sshd->port()));
  append(config, "Include " + (sshd->directory() / "included").string());
  Target target = sshd->target();
  target.host = "npu-7";
  target.port = 0;
  target.ssh_config = config;
  SshHost host(target);
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

TEST_F(SshHostTest, what_the_target_says_goes_before_the_ssh_configuration) {
  const auto sshd = TestSshd::start();
  const auto config = sshd->directory() / "ssh_config";
  append(config, "Host *\n Port 1\n User nobody\n");
  Target target = sshd->target();
  std::string user = run_or_throw({"id", "-un"});
  user.pop_back();
  target.user = user;
  target.ssh_config = config;
  SshHost host(target);
  EXPECT_EQ(said_by(host, "id -un"), user + "\n");
}

TEST_F(SshHostTest, proxy_jump_goes_through_another_host) {
  const auto jump = TestSshd::start();
  const auto sshd = TestSshd::start({.listen = "127.0.0.2"});
  const auto config = sshd->directory() / "ssh_config";
  append(config, "Host inner\n HostName 127.0.0.2\n Port " + std::to_string(sshd->port()) +
                     "\n ProxyJump gate\nHost gate\n HostName 127.0.0.1\n Port " +
                     std::to_string(jump->port()) + "\n IdentityFile " + jump->identity().string() +
                     "\n UserKnownHostsFile " + jump->known_hosts().string());
  Target target = sshd->target();
  target.host = "inner";
  target.port = 0;
  target.ssh_config = config;
  SshHost host(target);
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n") << jump->log() << sshd->log();
  EXPECT_THAT(jump->log(), HasSubstr("Accepted publickey"));

  // The jump host is held to its known_hosts, too, and asks nobody anything.
  std::ofstream(jump->known_hosts()) << "";
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::host_unreachable);
  EXPECT_THAT(error.message, HasSubstr("proxy"));
}

TEST_F(SshHostTest, an_unreadable_ssh_configuration_is_an_error) {
  const auto sshd = TestSshd::start();
  Target target = sshd->target();
  target.ssh_config = sshd->directory() / "none";
  EXPECT_EQ(error_of(target).code, codes::config_invalid);
}

// Login shells and profiles.

class SshLoginShell : public ::testing::TestWithParam<const char*> {};

TEST_P(SshLoginShell, commands_arrive_unchanged) {
  if (auto why = TestSshd::missing_account(); !why.empty()) GTEST_SKIP() << why;
  const std::string shell = GetParam();
  if (!std::filesystem::exists(shell)) GTEST_SKIP() << "there is no " << shell;
  TestSshd::Account account{.shell = shell};
  const auto sshd = TestSshd::start({.account = account});
  SshHost host(sshd->target());
  EXPECT_EQ(said_by(host, "basename $(getent passwd npuprof-test | cut -d: -f7) 2>&1; echo $0"),
            std::filesystem::path(shell).filename().string() + "\nsh\n");
  const std::string odd = "it's \"$HOME\" `id` \\ !x (a) {b,c} ~ * ? ; & | \n new";
  auto output = host.capture({.argv = {"printf", "%s", odd}, .env = {{"ODD", odd}}}, "input");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->out, odd);
  EXPECT_EQ(output->err, "");
  EXPECT_EQ(output->exit.status, 0);
  auto copied = host.capture({.argv = {"cat"}}, "input\n");
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->out, "input\n");
}

INSTANTIATE_TEST_SUITE_P(Shells, SshLoginShell,
                         ::testing::Values("/bin/sh", "/bin/bash", "/usr/bin/fish", "/usr/bin/tcsh",
                                           "/usr/bin/zsh"),
                         [](const auto& test) {
                           return std::filesystem::path(test.param).filename().string();
                         });

TEST_F(SshAccountTest, a_profile_that_prints_does_not_get_into_the_output) {
  const std::string noise = "echo Welcome to the machine; echo Beware >&2; printf 'no newline'";
  for (const auto& [shell, file] :
       std::map<std::string, std::string>{{"/bin/bash", ".bashrc"},
                                          {"/usr/bin/tcsh", ".cshrc"},
                                          {"/usr/bin/fish", ".config/fish/config.fish"}}) {
    if (!std::filesystem::exists(shell)) continue;
    const std::string body = shell == "/usr/bin/tcsh" ? "echo Welcome to the machine" : noise;
    const auto sshd = start({.shell = shell, .home_files = {{file, body + "\n"}}});
    // The profile is really read.
    EXPECT_THAT(run_or_throw({"ssh", "-F", "/dev/null", "-i", sshd->identity(), "-o",
                              "UserKnownHostsFile=" + sshd->known_hosts().string(), "-p",
                              std::to_string(sshd->port()), "npuprof-test@127.0.0.1", "echo x"}),
                HasSubstr("Welcome"))
        << shell;
    SshHost host(sshd->target());
    auto output = host.shell("echo out; echo err >&2");
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->out, "out\n") << shell;
    EXPECT_EQ(output->err, "err\n") << shell;
  }
}

TEST_F(SshAccountTest, an_account_without_a_shell_is_refused_in_words) {
  const auto sshd = start({.shell = "/usr/sbin/nologin"});
  const auto error = error_of(sshd->target());
  EXPECT_EQ(error.code, codes::channel_refused);
  EXPECT_THAT(error.message, HasSubstr("not available"));
}

TEST_F(SshHostTest, a_host_without_sftp_serves_files_all_the_same) {
  const auto sshd = TestSshd::start({.sftp = false});
  SshHost host(sshd->target());
  const std::string file = sshd->target().workspace + "/file";
  ASSERT_TRUE(host.write_file(file, "content"));
  EXPECT_EQ(host.read_file(file, 100).value(), "content");
}

// What a network and a server do.

TEST_F(SshHostTest, all_commands_share_one_login) {
  const auto sshd = TestSshd::start();
  SshHost host(sshd->target());
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 3; ++k) right += said_by(host, "echo reached") == "reached\n" ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(right, 24);
  const auto log = sshd->log();
  std::size_t logins = 0;
  for (auto at = log.find("Accepted publickey"); at != log.npos;
       at = log.find("Accepted publickey", at + 1))
    ++logins;
  EXPECT_EQ(logins, 1U);
}

TEST_F(SshHostTest, a_closed_port_is_named) {
  const auto sshd = TestSshd::start();
  sshd->stop();
  const auto error = error_of(sshd->target());
  EXPECT_EQ(error.code, codes::host_unreachable);
  EXPECT_THAT(error.message, HasSubstr("Nothing listens on port " + std::to_string(sshd->port())));
  EXPECT_THAT(error.message, HasSubstr("nothing was run"));
}

TEST_F(SshHostTest, a_name_that_does_not_exist_is_named) {
  Target target;
  target.name = "test";
  target.host = "npuprof-no-such-host.invalid";
  target.ssh_config = "/dev/null";
  target.connect_timeout = 10s;
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::host_unreachable);
  EXPECT_THAT(error.message, HasSubstr("npuprof-no-such-host.invalid"));
}

TEST_F(SshHostTest, a_server_that_never_speaks_is_given_up_at_the_time_limit) {
  const SilentServer server;
  Target target;
  target.name = "test";
  target.host = "127.0.0.1";
  target.port = server.port();
  target.ssh_config = "/dev/null";
  target.connect_timeout = 500ms;
  const auto begin = Steady::now();
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::host_unreachable);
  EXPECT_TRUE(error.retryable);
  EXPECT_LT(Steady::now() - begin, 5s);
}

TEST_F(SshHostTest, connecting_is_cancelled_at_once) {
  const SilentServer server;
  Target target;
  target.name = "test";
  target.host = "127.0.0.1";
  target.port = server.port();
  target.ssh_config = "/dev/null";
  SshHost host(target);
  std::stop_source stop;
  std::jthread canceller([&] {
    server.await_client();
    stop.request_stop();
  });
  const auto begin = Steady::now();
  auto output = host.shell("echo reached", {}, {}, stop.get_token());
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, codes::cancelled);
  EXPECT_LT(Steady::now() - begin, 5s);
}

TEST_F(SshHostTest, a_cut_connection_is_told_apart_and_the_next_command_connects_anew) {
  const auto sshd = TestSshd::start();
  SshHost host(sshd->target());
  auto process = host.start({.argv = {"/bin/sh", "-c", "echo up; exec sleep 60"}}, {});
  ASSERT_TRUE(process) << process.error().message;
  auto event = (*process)->next(Steady::now() + 20s, {});
  ASSERT_TRUE(event);
  ASSERT_EQ(event->bytes, "up\n");
  for (const pid_t session : sshd->sessions()) ::kill(session, SIGKILL);
  event = (*process)->next(Steady::now() + 20s, {});
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, codes::connection_lost);
  EXPECT_TRUE(event.error().retryable);
  EXPECT_THAT(event.error().message, HasSubstr("may still run"));
  process->reset();
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

TEST_F(SshHostTest, a_server_that_was_restarted_is_found_again) {
  const auto sshd = TestSshd::start();
  SshHost host(sshd->target());
  EXPECT_EQ(said_by(host, "echo one"), "one\n");
  sshd->stop();
  sshd->restart();
  EXPECT_EQ(said_by(host, "echo two"), "two\n");
}

TEST_F(SshHostTest, a_link_that_goes_silent_is_noticed_by_the_keep_alive) {
  const auto sshd = TestSshd::start();
  Relay relay(sshd->port());
  Target target = sshd->target();
  target.port = relay.port();
  append(target.known_hosts,
         "[127.0.0.1]:" + std::to_string(relay.port()) + " " + sshd->host_key());
  target.keepalive = 1s;
  SshHost host(target);
  auto process = host.start({.argv = {"/bin/sh", "-c", "echo up; exec sleep 60"}}, {});
  ASSERT_TRUE(process) << process.error().message;
  auto event = (*process)->next(Steady::now() + 20s, {});
  ASSERT_TRUE(event);
  ASSERT_EQ(event->bytes, "up\n");

  // A live but idle link outlasts several keep-alives.
  event = (*process)->next(Steady::now() + 3500ms, {});
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->kind, ProcessEvent::Kind::nothing_yet);

  relay.go_silent();
  const auto begin = Steady::now();
  event = (*process)->next(Steady::now() + 30s, {});
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, codes::connection_lost);
  EXPECT_LT(Steady::now() - begin, 2 * target.keepalive + 2s);

  relay.speak_again();
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
}

TEST_F(SshHostTest, fewer_sessions_than_wished_for_make_commands_wait) {
  const auto sshd = TestSshd::start({.config = {"MaxSessions 2"}});
  SshHost host(sshd->target());
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const auto said = said_by(host, "sleep 0.2; echo reached");
      if (said == "reached\n") {
        ++right;
      } else {
        ADD_FAILURE() << said;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 6);
}

TEST_F(SshHostTest, no_session_at_all_is_channel_refused) {
  const auto sshd = TestSshd::start({.config = {"MaxSessions 0"}});
  const auto error = error_of(sshd->target());
  EXPECT_EQ(error.code, codes::channel_refused);
  EXPECT_THAT(error.remedy, HasSubstr("MaxSessions"));
}

TEST_F(SshHostTest, a_command_is_ended_even_where_the_host_has_no_room_for_a_second_session) {
  const auto sshd = TestSshd::start({.config = {"MaxSessions 1"}});
  SshHost host(sshd->target());
  const std::string file = sshd->target().workspace + "/pid";
  auto output = host.shell("echo $$ >\"$1\"; exec sleep 60", {file}, {}, {}, 1s);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, codes::timed_out);
  std::string pid;
  std::ifstream(file) >> pid;
  ASSERT_FALSE(pid.empty());
  const auto deadline = Steady::now() + 5s;
  while (std::filesystem::exists("/proc/" + pid) && Steady::now() < deadline) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_FALSE(std::filesystem::exists("/proc/" + pid));
}

// A login that never gets on.
std::unique_ptr<Client> login_under_way(const TestSshd& sshd) {
  const auto deadline = Steady::now() + 10s;
  while (Steady::now() < deadline) {
    auto client = std::make_unique<Client>(sshd.port());
    if (client->read_line().starts_with("SSH-")) return client;
  }
  return nullptr;
}

TEST_F(SshHostTest, a_server_busy_with_logins_is_tried_again) {
  const auto sshd = TestSshd::start({.config = {"MaxStartups 1"}});
  auto waiting = login_under_way(*sshd);
  SshHost host(sshd->target());
  std::jthread ends([&] {
    const auto deadline = Steady::now() + 10s;
    while (sshd->log().find("MaxStartups") == std::string::npos && Steady::now() < deadline) {
      std::this_thread::sleep_for(10ms);
    }
    waiting.reset();
  });
  EXPECT_EQ(said_by(host, "echo reached"), "reached\n");
  EXPECT_THAT(sshd->log(), HasSubstr("MaxStartups"));
}

TEST_F(SshHostTest, a_server_that_stays_busy_with_logins_is_named_as_such) {
  const auto sshd = TestSshd::start({.config = {"MaxStartups 1"}});
  const auto waiting = login_under_way(*sshd);
  Target target = sshd->target();
  target.connect_timeout = 1500ms;
  const auto error = error_of(target);
  EXPECT_EQ(error.code, codes::host_unreachable);
  EXPECT_TRUE(error.retryable);
  EXPECT_THAT(error.remedy, HasSubstr("MaxStartups"));
}

}  // namespace
}  // namespace npuprof
