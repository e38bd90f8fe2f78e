// Spans on their way to a collector: gathered within a tick, sent in batches by a thread of their
// own, so that neither a slow collector nor none at all holds up anybody's request.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gateway/otlp_settings.h"
#include "sys/http.h"

namespace sx {

// What is to be done after an answer of the collector.
struct SpanFate {
  enum class What { Taken, Again, Dropped } what = What::Taken;
  std::chrono::milliseconds wait{0};  // before the next try
};
// `tries`: how often it was sent, this time included; `answer` null: no answer came. `dice`: any
// number, so that many gateways do not come back at once.
SpanFate fate_of_spans(const HttpAnswer* answer, int tries, std::uint64_t dice);

class SpanExport {
 public:
  // Refused: libcurl is not there.
  static Result<std::unique_ptr<SpanExport>> begin(OtlpSettings settings);
  ~SpanExport();  // what waits is sent once more, for two seconds at most
  SpanExport(const SpanExport&) = delete;
  SpanExport& operator=(const SpanExport&) = delete;

  void change(OtlpSettings settings);  // to another collector, or to none
  bool wanted() const { return wanted_; }

  void add(std::string span);  // one object of JSON
  void flush();                // some times a second; costs nothing without spans

  struct Numbers {
    std::uint64_t sent = 0, dropped = 0;
  };
  Numbers numbers();
  // What went wrong since it was asked last, once until spans are taken again.
  std::optional<Error> news();

 private:
  SpanExport(OtlpSettings settings, std::unique_ptr<HttpSender> sender);
  void work();
  std::size_t send(const std::vector<std::string>& spans);
  bool pause(std::chrono::milliseconds wait);
  void note(std::uint64_t sent, std::uint64_t dropped);
  void complain(const Error& error);
  bool over();

  bool wanted_ = true;  // below: of the loop's thread alone
  std::vector<std::string> spans_;
  std::size_t bytes_ = 0;  // of them

  std::mutex lock_;
  std::condition_variable wakes_;
  OtlpSettings settings_;  // below: under the lock
  std::vector<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  Numbers numbers_;
  std::optional<Error> news_;
  bool complained_ = false;
  bool stops_ = false;
  std::chrono::steady_clock::time_point ends_by_;

  std::unique_ptr<HttpSender> sender_;  // of the sending thread alone
  std::thread thread_;
};

}  // namespace sx
