// libcurl behind the Http interface. It is opened when it is needed: linking it would cost every
// start of the program milliseconds, and few starts need it.
#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/strings.h"
#include "sys/http.h"

namespace sx {
namespace {

constexpr long kConnectSeconds = 5;  // a host that does not answer at all
constexpr long kWholeSeconds = 30;   // one request; a header of a shard is a few hundred KiB
constexpr int kMostRedirects = 5;    // hubs need one or two
constexpr std::size_t kMostHeaderBytes = 64U << 10U;
constexpr std::string_view kLibrary = "libcurl.so.4";

struct Curl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) setopt = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) getinfo = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_strerror) strerror = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_all = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  // POSIX guarantees that a function's address survives the way through a void pointer.
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<Curl> open_curl(std::string_view wanted_by) {
  void* library = ::dlopen(kLibrary.data(), RTLD_NOW | RTLD_LOCAL);
  Curl curl;
  const bool whole = library != nullptr && find(library, "curl_global_init", curl.global_init) &&
                     find(library, "curl_easy_init", curl.easy_init) &&
                     find(library, "curl_easy_setopt", curl.setopt) &&
                     find(library, "curl_easy_perform", curl.perform) &&
                     find(library, "curl_easy_getinfo", curl.getinfo) &&
                     find(library, "curl_easy_cleanup", curl.cleanup) &&
                     find(library, "curl_easy_strerror", curl.strerror) &&
                     find(library, "curl_slist_append", curl.append) &&
                     find(library, "curl_slist_free_all", curl.free_all);
  if (!whole || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    const std::string flag(wanted_by);
    return fail(Error::Kind::Absent, flag + " needs libcurl, and libcurl.so.4 was not found",
                flag + " 需要 libcurl，但没有找到 libcurl.so.4");
  }
  return curl;
}

// What one transfer has brought so far.
struct Transfer {
  HttpAnswer answer;
  Bytes limit;
  std::optional<Bytes> front;
  std::size_t header_bytes = 0;
  bool enough = false;  // all that was asked for is there
  bool too_long = false;
  bool headers_too_long = false;
};

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& transfer = *static_cast<Transfer*>(to);
  std::size_t length = size * count;
  const auto have = static_cast<std::int64_t>(transfer.answer.body.size());
  const Bytes most = transfer.front ? std::min(*transfer.front, transfer.limit) : transfer.limit;
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(most.count() - have, 0));
  if (length > room) {
    // A server that knows no ranges sends everything; the beginning is what was wanted.
    transfer.enough = transfer.front.has_value() && *transfer.front <= transfer.limit;
    transfer.too_long = !transfer.enough;
    transfer.answer.body.append(bytes, room);
    return 0;
  }
  transfer.answer.body.append(bytes, length);
  return length;
}

std::string_view value_of(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || lower(line.substr(0, name.size())) != name) return {};
  return trimmed(line.substr(name.size()));
}

void read_header(HttpAnswer& answer, std::string_view line) {
  if (line.starts_with("HTTP/")) {  // of the next answer: what the last one said is over
    answer.total.reset();
    answer.content_type.clear();
    answer.error_code.clear();
  }
  if (const auto range = value_of(line, "content-range:"); !range.empty()) {
    if (const auto whole = to_integer(range.substr(range.rfind('/') + 1)); whole && *whole >= 0)
      answer.total = Bytes{*whole};
  }
  if (const auto length = value_of(line, "content-length:"); !length.empty() && !answer.total) {
    if (const auto whole = to_integer(length); whole && *whole >= 0) answer.total = Bytes{*whole};
  }
  // Hubs tell the length of a file that lies elsewhere.
  if (const auto linked = value_of(line, "x-linked-size:"); !linked.empty()) {
    if (const auto whole = to_integer(linked); whole && *whole >= 0) answer.total = Bytes{*whole};
  }
  if (const auto type = value_of(line, "content-type:"); !type.empty())
    answer.content_type = lower(trimmed(type.substr(0, type.find(';'))));
  if (const auto code = value_of(line, "x-error-code:"); !code.empty())
    answer.error_code = code.substr(0, 60);
  if (const auto wait = value_of(line, "retry-after:"); !wait.empty()) {
    if (const auto seconds = to_integer(wait); seconds && *seconds >= 0 && *seconds < 3600)
      answer.retry_after_seconds = static_cast<int>(*seconds);
  }
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& transfer = *static_cast<Transfer*>(to);
  const std::size_t length = size * count;
  transfer.header_bytes += length;
  if (transfer.header_bytes > kMostHeaderBytes) {
    transfer.headers_too_long = true;
    return 0;
  }
  read_header(transfer.answer, trimmed(std::string_view(bytes, length)));
  return length;
}

bool is_web(std::string_view url) {
  return lower(url.substr(0, 8)) == "https://" || lower(url.substr(0, 7)) == "http://";
}

bool is_secure(std::string_view url) { return lower(url.substr(0, 8)) == "https://"; }

// "https://host:port", so that a token is shown to nobody else.
std::string server_of(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  return lower(url.substr(0, url.find_first_of("/?#", begin + 3)));
}

// Addresses may carry keys behind the question mark.
std::string shown(std::string_view url) { return std::string(url.substr(0, url.find('?'))); }

std::unexpected<Error> not_got(Error::Kind kind, const std::string& url, std::string_view why,
                               std::string_view why_chinese) {
  return fail(kind, "cannot get " + shown(url) + ": " + std::string(why),
              "无法获取 " + shown(url) + "：" + std::string(why_chinese));
}

struct Failure {
  Error::Kind kind;
  Both words;
};
const Failure kEndlessHeaders{Error::Kind::TooLarge, {"its headers do not end", "响应头过长"}};
Failure failure_of(const Curl& curl, CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {Error::Kind::TimedOut, {"no answer in time", "等待响应超时"}};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {Error::Kind::Absent, {"its name is not known to DNS", "DNS 无法解析该主机名"}};
    case CURLE_COULDNT_CONNECT:
      return {Error::Kind::Absent, {"no connection", "无法建立连接"}};
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
      return {Error::Kind::Damaged, {"the connection broke off", "连接中断"}};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {Error::Kind::Refused, {"its certificate is not trusted", "证书不受信任"}};
    default:
      return {Error::Kind::Damaged, {curl.strerror(code), curl.strerror(code)}};
  }
}

class CurlHttp final : public Http {
 public:
  explicit CurlHttp(const Curl& curl) : curl_(curl) {}

  Result<HttpAnswer> get(const HttpRequest& request) const override {
    std::string url = request.url;
    for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
      if (!is_web(url))
        return not_got(Error::Kind::Refused, url, "it is no web address", "不是网址");
      const bool own = server_of(url) == server_of(request.url);
      std::string next;
      SX_TRY(auto answer, once(request, url, own ? request.bearer : "", next));
      if (next.empty()) return answer;
      if (is_secure(url) && !is_secure(next)) {
        return not_got(Error::Kind::Refused, request.url,
                       "it is redirected to an unprotected address", "被重定向到未加密的地址");
      }
      url = std::move(next);
    }
    return not_got(Error::Kind::Refused, request.url, "too many redirects", "重定向次数过多");
  }

 private:
  Result<HttpAnswer> once(const HttpRequest& request, const std::string& url,
                          const std::string& bearer, std::string& next) const {
    CURL* easy = curl_.easy_init();
    if (easy == nullptr)
      return not_got(Error::Kind::Damaged, url, "libcurl gives no handle", "libcurl 无法创建句柄");
    Transfer transfer;
    transfer.limit = request.limit;
    transfer.front = request.front;
    curl_slist* headers = nullptr;
    if (!bearer.empty())
      headers = curl_.append(headers, ("Authorization: Bearer " + bearer).c_str());
    set_up(easy, url, request, transfer, headers);
    const CURLcode code = curl_.perform(easy);
    long status = 0;
    curl_.getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    char* redirect = nullptr;
    curl_.getinfo(easy, CURLINFO_REDIRECT_URL, &redirect);
    if (redirect != nullptr && status >= 300 && status < 400) next = redirect;
    curl_.free_all(headers);
    curl_.cleanup(easy);
    transfer.answer.status = static_cast<int>(status);
    if (transfer.headers_too_long)
      return not_got(kEndlessHeaders.kind, url, kEndlessHeaders.words.english,
                     kEndlessHeaders.words.chinese);
    if (transfer.too_long) {
      const std::string most = std::to_string(request.limit.count() >> 20) + " MiB";
      return not_got(Error::Kind::TooLarge, url, "it is longer than " + most, "长度超过 " + most);
    }
    if (code == CURLE_OK || transfer.enough) return std::move(transfer.answer);
    return failed(code, url);
  }

  void set_up(CURL* easy, const std::string& url, const HttpRequest& request, Transfer& transfer,
              curl_slist* headers) const {
    curl_.setopt(easy, CURLOPT_URL, url.c_str());
    curl_.setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_.setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_.setopt(easy, CURLOPT_TIMEOUT, kWholeSeconds);
    curl_.setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_.setopt(easy, CURLOPT_USERAGENT, "sextant");
    curl_.setopt(easy, CURLOPT_ACCEPT_ENCODING, nullptr);  // lengths and ranges as they are
    curl_.setopt(easy, CURLOPT_WRITEFUNCTION, &take_body);
    curl_.setopt(easy, CURLOPT_WRITEDATA, &transfer);
    curl_.setopt(easy, CURLOPT_HEADERFUNCTION, &take_header);
    curl_.setopt(easy, CURLOPT_HEADERDATA, &transfer);
    if (headers != nullptr) curl_.setopt(easy, CURLOPT_HTTPHEADER, headers);
    if (!request.front) return;
    const std::string range = "0-" + std::to_string(request.front->count() - 1);
    curl_.setopt(easy, CURLOPT_RANGE, range.c_str());
  }

  std::unexpected<Error> failed(CURLcode code, const std::string& url) const {
    const Failure why = failure_of(curl_, code);
    return not_got(why.kind, url, why.words.english, why.words.chinese);
  }

  Curl curl_;
};

int look_whether_to_give_up(void* asked, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return (*static_cast<const std::function<bool()>*>(asked))() ? 1 : 0;
}

class CurlSender final : public HttpSender {
 public:
  CurlSender(const Curl& curl, CURL* easy) : curl_(curl), easy_(easy) {}
  ~CurlSender() override { curl_.cleanup(easy_); }
  CurlSender(const CurlSender&) = delete;
  CurlSender& operator=(const CurlSender&) = delete;

  Result<HttpAnswer> post(const HttpPost& request) override {
    Transfer transfer;
    transfer.limit = kib(64);
    transfer.front = transfer.limit;
    curl_slist* headers = curl_.append(nullptr, "Content-Type: application/json");
    headers = curl_.append(headers, "Expect:");  // the body goes at once
    for (const std::string& line : request.headers) headers = curl_.append(headers, line.c_str());
    set_up(request, transfer, headers);
    const CURLcode code = curl_.perform(easy_);
    long status = 0;
    curl_.getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    curl_.setopt(easy_, CURLOPT_HTTPHEADER, nullptr);
    curl_.free_all(headers);
    transfer.answer.status = static_cast<int>(status);
    if (code == CURLE_OK || transfer.enough) return std::move(transfer.answer);
    const Failure why = transfer.headers_too_long ? kEndlessHeaders : failure_of(curl_, code);
    const std::string to = shown(request.url);
    return fail(why.kind, "cannot send to " + to + ": " + why.words.english,
                "无法发送到 " + to + "：" + why.words.chinese);
  }

 private:
  void set_up(const HttpPost& request, Transfer& transfer, curl_slist* headers) {
    curl_.setopt(easy_, CURLOPT_URL, request.url.c_str());
    curl_.setopt(easy_, CURLOPT_NOSIGNAL, 1L);
    curl_.setopt(easy_, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_.setopt(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(request.limit.count()));
    curl_.setopt(easy_, CURLOPT_FOLLOWLOCATION, 0L);
    curl_.setopt(easy_, CURLOPT_USERAGENT, "sextant");
    curl_.setopt(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_.setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_.setopt(easy_, CURLOPT_POSTFIELDS, request.body.data());
    curl_.setopt(easy_, CURLOPT_HTTPHEADER, headers);
    curl_.setopt(easy_, CURLOPT_WRITEFUNCTION, &take_body);
    curl_.setopt(easy_, CURLOPT_WRITEDATA, &transfer);
    curl_.setopt(easy_, CURLOPT_HEADERFUNCTION, &take_header);
    curl_.setopt(easy_, CURLOPT_HEADERDATA, &transfer);
    curl_.setopt(easy_, CURLOPT_NOPROGRESS, request.give_up ? 0L : 1L);
    curl_.setopt(easy_, CURLOPT_XFERINFOFUNCTION, &look_whether_to_give_up);
    curl_.setopt(easy_, CURLOPT_XFERINFODATA, &request.give_up);
  }

  Curl curl_;
  CURL* easy_;
};

}  // namespace

Result<std::unique_ptr<Http>> open_http() {
  SX_TRY(const auto curl, open_curl("--online"));
  return std::make_unique<CurlHttp>(curl);
}

Result<std::unique_ptr<HttpSender>> open_http_sender(std::string_view wanted_by) {
  SX_TRY(const auto curl, open_curl(wanted_by));
  CURL* easy = curl.easy_init();
  if (easy == nullptr)
    return fail(Error::Kind::Damaged, "libcurl gives no handle", "libcurl 无法创建句柄");
  return std::make_unique<CurlSender>(curl, easy);
}

}  // namespace sx
