// A link of a given rate and delay between two network namespaces, for machines whose kernel has no
// netem: a TUN device in each, and this program carrying packets between them. No loss, no jitter.
//
//   slow_link NAMESPACE_A NAMESPACE_B MBPS ONE_WAY_MS
//
// Makes tun0 in both, prints "ready", and carries until it is ended. Needs root.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Nanoseconds = long long;

Nanoseconds now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void sleep_until(Nanoseconds until) {
  const timespec time{.tv_sec = until / 1'000'000'000, .tv_nsec = until % 1'000'000'000};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

[[noreturn]] void die(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

int open_tun(const std::string& name_space) {
  const int space = ::open(("/run/netns/" + name_space).c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0 || ::setns(space, CLONE_NEWNET) != 0) die("network namespace " + name_space);
  ::close(space);
  const int tun = ::open("/dev/net/tun", O_RDWR | O_CLOEXEC);
  ifreq request{};
  std::strcpy(request.ifr_name, "tun0");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (tun < 0 || ::ioctl(tun, TUNSETIFF, &request) != 0) die("tun");
  return tun;
}

// One direction.
class Line {
 public:
  Line(int from, int to, double mbps, double delay_ms)
      : from_(from),
        to_(to),
        nanoseconds_per_byte_(8'000 / mbps),
        delay_(static_cast<Nanoseconds>(delay_ms * 1e6)) {
    std::thread([this] { take(); }).detach();
    std::thread([this] { give(); }).detach();
  }

 private:
  struct Packet {
    Nanoseconds due;
    std::vector<char> bytes;
  };

  void take() {
    Nanoseconds free_at = 0;  // when the line has sent what was given to it
    while (true) {
      std::vector<char> bytes(1600);
      const ssize_t size = ::read(from_, bytes.data(), bytes.size());
      if (size <= 0) continue;
      bytes.resize(static_cast<std::size_t>(size));
      free_at = std::max(free_at, now()) +
                static_cast<Nanoseconds>(static_cast<double>(size) * nanoseconds_per_byte_);
      const std::lock_guard lock(mutex_);
      packets_.push_back({free_at + delay_, std::move(bytes)});
      if (packets_.size() == 1) changed_.notify_one();
    }
  }

  void give() {
    std::deque<Packet> due;
    while (true) {
      Nanoseconds first = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !packets_.empty(); });
        first = packets_.front().due;
      }
      if (first > now()) sleep_until(first);
      {
        const std::lock_guard lock(mutex_);
        const auto time = now();
        while (!packets_.empty() && packets_.front().due <= time) {
          due.push_back(std::move(packets_.front()));
          packets_.pop_front();
        }
      }
      for (const auto& packet : due) {
        if (::write(to_, packet.bytes.data(), packet.bytes.size()) < 0) continue;
      }
      due.clear();
    }
  }

  const int from_;
  const int to_;
  const double nanoseconds_per_byte_;
  const Nanoseconds delay_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> packets_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: slow_link NAMESPACE_A NAMESPACE_B MBPS ONE_WAY_MS\n");
    return 2;
  }
  const int a = open_tun(argv[1]);
  const int b = open_tun(argv[2]);
  const double mbps = std::atof(argv[3]);
  const double delay = std::atof(argv[4]);
  const Line there(a, b, mbps, delay);
  const Line back(b, a, mbps, delay);
  std::puts("ready");
  std::fflush(stdout);
  while (true) ::pause();
}
