// TLS in front of the relay: hands are shaken here, and the relay is given what reads and writes as
// any connection does. So its sessions know nothing of TLS.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "gateway/key_store.h"
#include "run/tls_link.h"

namespace sx {

// What is to be said of files that can be used all the same. `permissions`: of the key; `now`: in
// seconds since 1970.
std::vector<Error> tls_notes(const TlsFiles& files, const TlsPeriod& period, unsigned permissions,
                             std::int64_t now);

struct TlsNumbers {
  bool good = true;              // the files could be used when they changed last
  std::int64_t until = 0;        // of the certificate in use, in seconds since 1970; 0: none
  std::uint64_t handshakes = 0;  // done
  std::uint64_t handshakes_failed = 0;
};

class TlsDoor {
 public:
  struct Ask {
    TlsFiles files;
    TlsLinkLimits limits;
    std::function<void(UniqueFd client, TlsSession session)> give;  // hands are shaken
    std::function<void()> ended;                                    // of one that was taken
    std::function<void(const Error&)> trouble;  // what is to be said, each thing once
  };
  TlsDoor(boost::asio::io_context& loop, Ask ask);
  ~TlsDoor();
  TlsDoor(const TlsDoor&) = delete;
  TlsDoor& operator=(const TlsDoor&) = delete;

  // What can be said of files before anything runs. Refused: they cannot be used.
  static Result<std::vector<Error>> judged(const TlsFiles& files);

  // Reads the files, and looks every second whether they have changed. Refused: they cannot be
  // used; until they can, whoever comes is turned away.
  Result<void> begin();
  Result<void> change(const TlsFiles& files);  // others, as begin() would; what is open goes on
  void look(bool whatever);                    // whatever: also when they look as before
  void take(UniqueFd client);                  // just accepted
  void close();                                // no new ones, and those that shake hands end
  std::size_t connections() const { return links_.size(); }  // that still shake hands
  const TlsNumbers& numbers() const { return numbers_; }

 private:
  using Looks = std::array<FileLook, 2>;
  Looks looks() const;
  Result<void> read();
  void say_notes();
  void wait();

  boost::asio::io_context& loop_;
  Ask ask_;
  boost::asio::steady_timer timer_;
  std::optional<TlsContext> context_;
  Looks used_, seen_;  // when they were read; at the last look
  std::string told_;   // why they could not be used when they were read last
  bool said_over_ = false;
  bool closed_ = false;
  std::unordered_set<TlsLink*> links_;
  TlsNumbers numbers_;
};

}  // namespace sx
