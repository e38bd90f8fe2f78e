// The findings of the product's own examples, for tests of every format.
#pragma once

#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/outcome.h"
#include "diag/render.h"

namespace sx::examples {

inline constexpr Text kHeads{"{heads} attention heads cannot be split over {tp} GPUs",
                             "{heads} 个注意力头无法平均分到 {tp} 张 GPU"};
inline constexpr Text kBoth{
    "{heads} / {tp} leaves {left} over; so do the KV heads: {kv} / {tp} leaves {kv_left}",
    "{heads} / {tp} 余 {left}；KV 头同样：{kv} / {tp} 余 {kv_left}"};
inline constexpr Text kLeaves{"{heads} / {tp} leaves {left} over", "{heads} / {tp} 余 {left}"};
inline constexpr Text kBasis{"{heads} heads, {kv} KV heads: {origin}",
                             "{heads} 个注意力头、{kv} 个 KV 头：{origin}"};
inline constexpr Text kCatalogue{"built-in catalogue", "内置数据"};
inline constexpr Text kBecause{"each tensor-parallel rank must get the same whole number of heads",
                               "每个张量并行 rank 必须分到同样多的、整数个注意力头"};
inline constexpr Text kOtherwise{"the engine exits during start-up, before it loads any weights",
                                 "引擎会在启动阶段退出，此时尚未加载权重"};
inline constexpr Text kTwoThree{"two GPUs a stage, three stages (fits: {kv} tokens of KV cache)",
                                "每级 2 张 GPU，共 3 级（可放下 {kv} 个 token 的 KV 缓存）"};
inline constexpr Text kPlain{"{text}", "{text}"};

inline Message plain(std::string_view text) { return {kPlain, {{"text", text}}}; }

// Bytes of the first place of `text` in a source.
inline Span span_of(const Sources& sources, int source, std::string_view text) {
  const std::size_t at = sources.at(source).text.find(text);
  return {source, at, at + text.size()};
}

inline int command_line(Sources& sources, std::string text) {
  return sources.add(
      {.kind = SourceKind::CommandLine, .name = {}, .uri = {}, .text = std::move(text)});
}

inline int file(Sources& sources, const std::string& name, std::string text) {
  return sources.add(
      {.kind = SourceKind::File, .name = name, .uri = "/srv/" + name, .text = std::move(text)});
}

// A finding with nothing but a title, at one place.
inline Diagnostic simple(std::string_view code, Severity severity, std::string_view title) {
  Diagnostic d;
  d.code = code;
  d.name = "some-name";
  d.severity = severity;
  d.title = plain(title);
  d.because = plain("that is how it is");
  return d;
}

// The launch of the product's page: 64 heads over 6 GPUs.
inline Diagnostic product(Sources& sources) {
  const int command =
      command_line(sources, "vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 6");
  Diagnostic d;
  d.code = "SX2103";
  d.name = "tp-heads-indivisible";
  d.title = {kHeads, {{"heads", 64}, {"tp", 6}}};
  d.labels = {{span_of(sources, command, "--tensor-parallel-size 6"),
               {kBoth, {{"heads", 64}, {"tp", 6}, {"left", 4}, {"kv", 8}, {"kv_left", 2}}},
               true}};
  d.basis = {{kBasis, {{"heads", 64}, {"kv", 8}, {"origin", kCatalogue}}}};
  d.because = kBecause;
  d.otherwise = kOtherwise;
  d.fixes = {{.title = {kTwoThree, {{"kv", Tokens{220864}}}},
              .command = "vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 2 "
                         "--pipeline-parallel-size 3"}};
  d.subject = "--tensor-parallel-size";
  return d;
}

}  // namespace sx::examples
