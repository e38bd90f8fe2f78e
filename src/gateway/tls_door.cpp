// Certificates are renewed while it runs: by a file written anew, moved over, or a link that points
// elsewhere. A pair is read once both files have stood still for one look, since programs write
// them one after the other. What could not be used is tried again at every look: what was in the
// way may be over (no descriptor was left) while the files look as before.
#include "gateway/tls_door.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <ctime>

#include "gateway/refusals.h"
#include "sys/files.h"
#include "sys/wall_clock.h"

namespace sx {
namespace {

constexpr std::chrono::seconds kLook{1};

constexpr Text kPlain{"this address speaks HTTPS, and the request came without TLS: use https://",
                      "该地址使用 HTTPS，而请求没有经过 TLS：请改用 https://"};

std::string date_of(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min);
}

std::int64_t now_seconds() { return unix_ms() / 1000; }

Error over(const TlsFiles& files, const TlsPeriod& period) {
  const std::string date = date_of(period.until);
  return {Error::Kind::Refused,
          "the certificate in " + files.certificate + " ended on " + date + ": clients refuse it",
          files.certificate + " 中的证书已于 " + date + " 过期：客户端会拒绝它"};
}

std::string plain_answer() {
  const std::string body =
      error_body({.status = 400, .code = "tls_expected", .message = {kPlain}}, Surface::OpenAi);
  return "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

std::vector<Error> notes_now(const TlsFiles& files, const TlsPeriod& period) {
  const auto info = real_files().info(files.key);
  return tls_notes(files, period, info ? info->permissions.value_or(0) : 0, now_seconds());
}

}  // namespace

std::vector<Error> tls_notes(const TlsFiles& files, const TlsPeriod& period, unsigned permissions,
                             std::int64_t now) {
  std::vector<Error> notes;
  if ((permissions & S_IRWXO) != 0)
    notes.emplace_back(
        Error::Kind::Refused,
        files.key + " is open to other users of this machine; `chmod 600 " + files.key +
            "` closes it",
        files.key + " 对本机其他用户开放；用 `chmod 600 " + files.key + "` 收回权限");
  if (now >= period.until) notes.push_back(over(files, period));
  if (now < period.from) {
    const std::string date = date_of(period.from);
    notes.emplace_back(
        Error::Kind::Refused,
        "the certificate in " + files.certificate + " begins on " + date +
            ": until then clients refuse it",
        files.certificate + " 中的证书从 " + date + " 起才生效：在此之前客户端会拒绝它");
  }
  return notes;
}

Result<std::vector<Error>> TlsDoor::judged(const TlsFiles& files) {
  SX_TRY(const TlsContext context, TlsContext::of_server(files));
  return notes_now(files, context.period());
}

TlsDoor::TlsDoor(boost::asio::io_context& loop, Ask ask)
    : loop_(loop), ask_(std::move(ask)), timer_(loop) {}

TlsDoor::~TlsDoor() {
  ask_.ended = {};
  close();
}

TlsDoor::Looks TlsDoor::looks() const {
  return {look_at(ask_.files.certificate), look_at(ask_.files.key)};
}

Result<void> TlsDoor::begin() {
  seen_ = looks();
  auto good = read();
  wait();
  return good;
}

// The look is taken before the files are read: a change in between is read a second time.
Result<void> TlsDoor::read() {
  used_ = seen_;
  auto next = TlsContext::of_server(ask_.files);
  numbers_.good = next.has_value();
  told_ = next ? "" : next.error().what;
  if (!next) return std::unexpected(next.error());
  context_ = std::move(*next);
  numbers_.until = context_->period().until;
  say_notes();
  return {};
}

void TlsDoor::say_notes() {
  said_over_ = now_seconds() >= context_->period().until;
  for (const Error& note : notes_now(ask_.files, context_->period())) {
    if (ask_.trouble) ask_.trouble(note);
  }
}

Result<void> TlsDoor::change(const TlsFiles& files) {
  ask_.files = files;
  seen_ = looks();
  return read();
}

void TlsDoor::look(bool whatever) {
  const Looks before = std::exchange(seen_, looks());
  const bool changed = whatever || (seen_ != used_ && seen_ == before);
  if (changed || (!numbers_.good && seen_ == used_)) {
    const std::string told = told_;
    const auto good = read();
    if (!good && (changed || told_ != told) && ask_.trouble) ask_.trouble(good.error());
  }
  if (!context_ || said_over_ || now_seconds() < context_->period().until) return;
  said_over_ = true;
  if (ask_.trouble) ask_.trouble(over(ask_.files, context_->period()));
}

void TlsDoor::wait() {
  timer_.expires_after(kLook);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    look(false);
    wait();
  });
}

void TlsDoor::take(UniqueFd client) {
  if (closed_ || !context_) return;
  static const std::string kAnswer = plain_answer();
  const int on = 1;
  ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  TlsSession session(*context_, client.get());
  const auto link = std::make_shared<TlsLink>(loop_, TlsLinkAsk{.outer = std::move(client),
                                                                .session = std::move(session),
                                                                .limits = ask_.limits,
                                                                .plain_answer = kAnswer});
  links_.insert(link.get());
  const auto open = std::make_shared<bool>(false);
  link->handed_over = [this, open](UniqueFd outer, TlsSession shaken) {
    *open = true;
    ++numbers_.handshakes;
    ask_.give(std::move(outer), std::move(shaken));
  };
  link->ended = [this, open](TlsLink& one) {
    links_.erase(&one);
    if (!*open) ++numbers_.handshakes_failed;
    if (ask_.ended) ask_.ended();
  };
  link->begin();
}

void TlsDoor::close() {
  closed_ = true;
  while (!links_.empty()) (*links_.begin())->end();
}

}  // namespace sx
