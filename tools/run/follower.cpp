#include "run/follower.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "core/error_codes.hpp"
#include "core/host_text.hpp"
#include "run/host_python.hpp"
#include "runner/runner.hpp"

namespace npuprof::run {
namespace {

using namespace std::chrono_literals;

constexpr auto poll = 100ms;         // how late a new subscription is told to the host
constexpr auto silence_limit = 35s;  // the host says something at least every 10 s
constexpr auto linger = 5s;          // how long a channel with nothing to follow stays open
constexpr auto shortest_back_off = 500ms;
constexpr auto longest_back_off = 30'000ms;
constexpr std::size_t longest_line = 4u << 20;

}  // namespace

struct Follower::State {
  struct Followed {
    std::int64_t next_seq = 1;
    bool told = false;  // over the channel that is open now
    std::vector<News> inbox;
  };

  State(Connect opener, Target place, std::string folder, Clock& time)
      : connect(std::move(opener)),
        target(std::move(place)),
        directory(std::move(folder)),
        clock(time) {}

  void run(const std::stop_token& stop);
  Result<void> serve_channel(Host& host, const std::stop_token& stop);
  void tell_new_ones(Process& process);
  Result<void> look_for_missing(Host& host);
  void take_line(const std::string& line);
  void tell_all(const News& news);
  bool idle();

  Connect connect;
  Target target;
  std::string directory;
  Clock& clock;

  std::mutex mutex;
  std::condition_variable_any changed;
  std::map<std::string, Followed> runs;
  std::jthread thread;  // last: it uses all of the above
};

void Follower::State::tell_all(const News& news) {
  const std::lock_guard lock(mutex);
  for (auto& [id, followed] : runs) followed.inbox.push_back(news);
  changed.notify_all();
}

bool Follower::State::idle() {
  const std::lock_guard lock(mutex);
  return runs.empty();
}

void Follower::State::take_line(const std::string& line) {
  auto parsed = Json::parse(line, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("run_id") || !parsed["run_id"].is_string()) return;
  const std::lock_guard lock(mutex);
  const auto found = runs.find(parsed["run_id"].get<std::string>());
  if (found == runs.end()) return;
  auto& followed = found->second;
  if (parsed.contains("event")) {
    const auto& event = parsed["event"];
    if (event.is_object() && event.contains("seq") && event["seq"].is_number_integer()) {
      followed.next_seq = std::max(followed.next_seq, event["seq"].get<std::int64_t>() + 1);
    }
    followed.inbox.push_back({.kind = News::Kind::event, .body = event});
  } else if (parsed.contains("status") && parsed["status"].is_object()) {
    followed.inbox.push_back({.kind = News::Kind::status,
                              .body = parsed["status"],
                              .alive = parsed.contains("alive") && parsed["alive"] == true});
  } else if (parsed.contains("missing") && parsed["missing"] == true) {
    followed.inbox.push_back({.kind = News::Kind::missing});
  } else {
    // The directory is there, but nothing was written by a supervisor yet.
    followed.inbox.push_back({.kind = News::Kind::status, .body = nullptr, .alive = false});
  }
  changed.notify_all();
}

void Follower::State::tell_new_ones(Process& process) {
  std::string lines;
  {
    const std::lock_guard lock(mutex);
    for (auto& [id, followed] : runs) {
      if (followed.told) continue;
      followed.told = true;
      lines += Json{{"run_id", id}, {"from_seq", followed.next_seq}}.dump() + "\n";
    }
  }
  if (!lines.empty()) process.write(lines);
}

// The program that follows is the copy in a run's own directory: where that is gone, so is the
// run.
Result<void> Follower::State::look_for_missing(Host& host) {
  std::vector<std::string> ids;
  {
    const std::lock_guard lock(mutex);
    for (const auto& [id, followed] : runs) ids.push_back(id);
  }
  for (const auto& id : ids) {
    auto found = host.stat(directory + "/" + id);
    if (found) continue;
    if (found.error().code != codes::not_found) return fail(found.error());
    const std::lock_guard lock(mutex);
    if (const auto run = runs.find(id); run != runs.end()) {
      run->second.inbox.push_back({.kind = News::Kind::missing});
      changed.notify_all();
    }
  }
  return {};
}

Result<void> Follower::State::serve_channel(Host& host, const std::stop_token& stop) {
  std::string first;
  {
    const std::lock_guard lock(mutex);
    if (runs.empty()) return {};
    first = runs.begin()->first;
    for (auto& [id, followed] : runs) followed.told = false;
  }
  auto command = host_python(
      target, {},
      {directory + "/" + first + "/" + std::string(runner::supervisor_file), "follow", directory});
  command.timeout = std::chrono::hours(24 * 365);
  auto process = host.start(command, stop);
  if (!process) return fail(process.error());
  std::string pending;
  std::string errors;
  bool heard = false;
  auto last_heard = clock.steady();
  auto last_busy = clock.steady();
  while (!stop.stop_requested()) {
    tell_new_ones(**process);
    auto event = (*process)->next(std::chrono::steady_clock::now() + poll, stop);
    if (!event) return fail(event.error());
    const auto now = clock.steady();
    if (!idle()) {
      last_busy = now;
    } else if (now - last_busy > linger) {
      (*process)->close_stdin();
      return {};
    }
    if (event->kind == ProcessEvent::Kind::exited) {
      if (auto looked = look_for_missing(host); !looked) return looked;
      return fail({.code = codes::command_failed,
                   .message = "the follower on the host ended with status " +
                              std::to_string(event->exit.status) + ": " +
                              clean_host_text(errors, 500)});
    }
    if (event->kind == ProcessEvent::Kind::err && errors.size() < 4096) errors += event->bytes;
    if (event->kind == ProcessEvent::Kind::out) {
      if (!heard) tell_all({.kind = News::Kind::reachable});
      heard = true;
      last_heard = now;
      pending += event->bytes;
      std::size_t start = 0;
      for (std::size_t end = pending.find('\n'); end != std::string::npos;
           start = end + 1, end = pending.find('\n', start)) {
        take_line(pending.substr(start, end - start));
      }
      pending.erase(0, start);
      if (pending.size() > longest_line) pending.clear();
    }
    if (now - last_heard > silence_limit && !idle()) {
      return fail({.code = codes::connection_lost,
                   .message = host.description() + " has been silent for too long"});
    }
  }
  return {};
}

void Follower::State::run(const std::stop_token& stop) {
  std::minstd_rand random(std::random_device{}());
  auto back_off = std::chrono::milliseconds(shortest_back_off);
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, stop, [&] { return !runs.empty(); });
      if (stop.stop_requested()) return;
    }
    const auto began = clock.steady();
    Result<void> served;
    if (auto host = connect()) {
      served = serve_channel(**host, stop);
    } else {
      served = fail(host.error());
    }
    if (served || stop.stop_requested()) continue;
    tell_all({.kind = News::Kind::unreachable, .error = served.error()});
    if (clock.steady() - began > 60s) back_off = shortest_back_off;
    const auto jitter =
        std::chrono::milliseconds(random() % static_cast<unsigned>(back_off.count() / 2 + 1));
    clock.wait_until(clock.steady() + back_off / 2 + jitter, stop);
    back_off = std::min(back_off * 2, std::chrono::milliseconds(longest_back_off));
  }
}

Follower::Follower(Connect connect, Target target, std::string directory, Clock& clock)
    : state_(std::make_shared<State>(std::move(connect), std::move(target), std::move(directory),
                                     clock)) {
  state_->thread =
      std::jthread([state = state_.get()](const std::stop_token& stop) { state->run(stop); });
}

Follower::~Follower() {
  state_->thread.request_stop();
  state_->thread.join();
}

std::unique_ptr<Follower::Subscription> Follower::follow(const std::string& run_id,
                                                         std::int64_t from_seq) {
  class Open final : public Subscription {
   public:
    Open(std::shared_ptr<State> state, std::string run_id)
        : state_(std::move(state)), run_id_(std::move(run_id)) {}
    ~Open() override {
      const std::lock_guard lock(state_->mutex);
      state_->runs.erase(run_id_);
    }

    std::vector<News> wait(Clock::Steady::time_point until, const std::stop_token& stop) override {
      std::unique_lock lock(state_->mutex);
      auto& inbox = state_->runs[run_id_].inbox;
      state_->changed.wait_until(lock, stop, until, [&] { return !inbox.empty(); });
      return std::exchange(inbox, {});
    }

   private:
    std::shared_ptr<State> state_;
    std::string run_id_;
  };
  const std::lock_guard lock(state_->mutex);
  state_->runs[run_id] = {.next_seq = from_seq, .told = false, .inbox = {}};
  state_->changed.notify_all();
  return std::make_unique<Open>(state_, run_id);
}

}  // namespace npuprof::run
