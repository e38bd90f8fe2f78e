// One descriptor as the loop of sockets sees it: what may be done with it, and who waits for that.
#pragma once

#include <sys/uio.h>

#include <array>
#include <boost/system/error_code.hpp>
#include <coroutine>
#include <cstdint>
#include <memory>

#include "base/unique_fd.h"
#include "gateway/tls_stream.h"

namespace sx {

using LoopError = boost::system::error_code;
LoopError last_error();  // errno

// What a coroutine waits for. It lies in the coroutine's frame.
struct SocketWait {
  enum class Kind { Read, Write, Connect } kind = Kind::Read;
  std::array<iovec, 4> parts{};
  std::size_t part_count = 0;
  std::coroutine_handle<> waits;
  LoopError error;
  std::size_t bytes = 0;
};

// Told once that something may be read, so that nobody has to wait for it in a coroutine.
class SocketWatcher {
 public:
  virtual void may_read() = 0;

 protected:
  SocketWatcher() = default;
  ~SocketWatcher() = default;
  SocketWatcher(const SocketWatcher&) = default;
  SocketWatcher& operator=(const SocketWatcher&) = default;
};

// Edges tell once that more can be done. What they told holds until a call says otherwise.
struct SocketState {
  UniqueFd fd;
  std::unique_ptr<TlsStream> tls;  // its bytes are encrypted; null: plain
  bool readable = false, writable = false;
  // A read that brings less than was asked for may leave something: the other side has ended or
  // broken it, and no edge will follow; or it has sent a byte out of band, at which reads stop.
  bool look_again = false;
  bool queued = false;   // has a turn without a new edge
  bool aborted = false;  // whoever waits is to be told so
  int tries = 0;         // calls without a wait in the loop's turn `turn`
  std::uint64_t turn = 0;
  SocketWait* reader = nullptr;
  SocketWait* writer = nullptr;
  SocketWatcher* watcher = nullptr;

  // Does it, as far as it can be done now. False: it has to wait for an edge.
  bool try_now(SocketWait& wait);

 private:
  void transfer(SocketWait& wait);
};

}  // namespace sx
