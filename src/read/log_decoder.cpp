// The first four bytes decide; from then on every piece goes one way. A packed log may unpack to
// much: it is handed on in small pieces and never kept.
#include "read/log_decoder.h"

#include <zlib.h>

#include <array>

namespace sx {
namespace {

constexpr std::size_t kTelling = 4;
constexpr std::size_t kPiece = std::size_t{64} << 10U;
constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's frame

void append_utf8(std::string& out, unsigned point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

struct LogDecoder::Unpacker {
  z_stream stream{};
  bool good = false;
  bool ended = false;  // of one member: another may follow

  Unpacker() { good = inflateInit2(&stream, kGzipWindow) == Z_OK; }
  ~Unpacker() { inflateEnd(&stream); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
};

LogDecoder::LogDecoder(Take take) : take_(std::move(take)) {}
LogDecoder::LogDecoder(LogDecoder&&) noexcept = default;
LogDecoder& LogDecoder::operator=(LogDecoder&&) noexcept = default;
LogDecoder::~LogDecoder() = default;

void LogDecoder::feed(std::string_view bytes) {
  if (kind_ != Kind::Undecided) return pass(bytes);
  first_ += bytes;
  if (first_.size() >= kTelling) decide();
}

void LogDecoder::end() {
  if (kind_ == Kind::Undecided) decide();
  if (unpacker_ && !unpacker_->ended) damaged_ = true;
}

void LogDecoder::decide() {
  std::string_view bytes = first_;
  kind_ = Kind::Plain;
  if (bytes.starts_with("\xFF\xFE")) {
    kind_ = Kind::Utf16Low;
    bytes.remove_prefix(2);
  } else if (bytes.starts_with("\xFE\xFF")) {
    kind_ = Kind::Utf16High;
    bytes.remove_prefix(2);
  } else if (bytes.starts_with("\xEF\xBB\xBF")) {
    bytes.remove_prefix(3);
  } else if (bytes.starts_with("\x1F\x8B\x08")) {
    kind_ = Kind::Gzip;
    unpacker_ = std::make_unique<Unpacker>();
  }
  pass(bytes);
  first_.clear();
}

void LogDecoder::pass(std::string_view bytes) {
  if (kind_ == Kind::Plain) return take_(bytes);
  if (kind_ == Kind::Gzip) return unpack(bytes);
  from_utf16(bytes);
}

void LogDecoder::from_utf16(std::string_view bytes) {
  text_.clear();
  for (const char c : bytes) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (half_ < 0) {
      half_ = static_cast<int>(byte);
      continue;
    }
    const unsigned before = static_cast<unsigned>(half_);
    half_ = -1;
    unit(kind_ == Kind::Utf16Low ? before | (byte << 8U) : (before << 8U) | byte);
  }
  take_(text_);
}

void LogDecoder::unit(unsigned value) {
  constexpr unsigned kReplacement = 0xFFFD;
  const bool low = value >= 0xDC00 && value < 0xE000;
  if (surrogate_ != 0 && low) {
    append_utf8(text_, 0x10000 + ((surrogate_ - 0xD800) << 10U) + (value - 0xDC00));
    surrogate_ = 0;
    return;
  }
  if (surrogate_ != 0) append_utf8(text_, kReplacement);
  surrogate_ = value >= 0xD800 && value < 0xDC00 ? value : 0;
  if (surrogate_ == 0) append_utf8(text_, low ? kReplacement : value);
}

void LogDecoder::unpack(std::string_view bytes) {
  Unpacker& unpacker = *unpacker_;
  if (!unpacker.good || damaged_) {
    damaged_ = true;
    return;
  }
  std::array<char, kPiece> piece{};
  z_stream& stream = unpacker.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    if (unpacker.ended && inflateReset(&stream) != Z_OK) damaged_ = true;
    unpacker.ended = false;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int state = inflate(&stream, Z_NO_FLUSH);
    if (const std::size_t made = piece.size() - stream.avail_out; made > 0)
      take_({piece.data(), made});
    if (state == Z_STREAM_END) {
      unpacker.ended = true;
      continue;
    }
    if (state != Z_OK && state != Z_BUF_ERROR) {
      damaged_ = true;
      return;
    }
    if (state == Z_BUF_ERROR && stream.avail_out > 0) return;
  } while (stream.avail_in > 0 || stream.avail_out == 0);
}

}  // namespace sx
