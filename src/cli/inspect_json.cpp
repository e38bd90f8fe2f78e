// sextant.inspect/1.
#include <boost/json.hpp>

#include "base/utf8.h"
#include "cli/inspect_answer.h"
#include "fit/checkpoint.h"
#include "text/printable_json.h"

namespace sx {
namespace {

namespace json = boost::json;

std::string english(const Message& message) { return rendered(message, Language::English); }

json::value plain(const ShownFact& fact) {
  if (!fact.value) return nullptr;
  if (fact.yes) return *fact.yes;
  if (const auto* number = std::get_if<std::int64_t>(&*fact.value)) return *number;
  if (const auto* real = std::get_if<double>(&*fact.value)) return *real;
  if (const auto* bytes = std::get_if<Bytes>(&*fact.value)) return bytes->count();
  if (const auto* tokens = std::get_if<Tokens>(&*fact.value)) return tokens->count();
  return json::string(rendered(*fact.value, Language::English));
}

json::object quantisation_of(const Quantisation& q) {
  json::object o{{"method", q.method}};
  if (q.bits) o["bits"] = *q.bits;
  if (q.group_size) o["group_size"] = *q.group_size;
  if (q.block_rows && q.block_columns) o["block"] = json::array{*q.block_rows, *q.block_columns};
  if (!q.format.empty()) o["format"] = q.format;
  if (!q.kept.empty()) o["kept"] = json::array(q.kept.begin(), q.kept.end());
  return o;
}

std::string_view from_word(ModelFrom from) {
  switch (from) {
    case ModelFrom::Nowhere:
      return "nowhere";
    case ModelFrom::Catalogue:
      return "catalogue";
    case ModelFrom::Directory:
      return "directory";
    case ModelFrom::Cache:
      return "cache";
    case ModelFrom::Hub:
      return "hub";
  }
  return "nowhere";
}

json::object model_json(const ModelSpec& model) {
  json::object o{{"id", model.id}, {"from", json::string(from_word(model.from))}};
  if (!model.folder.empty()) o["folder"] = model.folder;
  if (!model.same_shape_as.empty()) o["same_shape_as"] = model.same_shape_as;
  for (const ShownFact& fact : facts_of(model)) {
    json::object one{{"value", plain(fact)}};
    if (fact.value) {
      one["origin"] = json::string(word(fact.origin));
    } else if (!fact.why_unknown.empty()) {
      one["why"] = english(fact.why_unknown);
    }
    o[fact.key] = std::move(one);
  }
  if (model.parameters_billion.known())
    o["parameters"] = json::object{
        {"value", static_cast<std::int64_t>(model.parameters_billion.value() * 1e9 + 0.5)},
        {"origin", json::string(word(model.parameters_billion.origin()))}};
  if (model.quantisation.known())
    o["quantisation"] = json::object{{"value", quantisation_of(model.quantisation.value())},
                                     {"origin", json::string(word(model.quantisation.origin()))}};
  return o;
}

json::array files_json(const ModelSpec& model) {
  json::array files;
  for (const WeightFile& file : model.files) {
    json::object one{{"path", file.path},
                     {"bytes", file.bytes.count()},
                     {"state", json::string(state_word(file.state))},
                     {"detail", file.detail.english}};
    if (file.expected > Bytes{0}) one["expected_bytes"] = file.expected.count();
    files.push_back(std::move(one));
  }
  return files;
}

std::string_view part_word(TensorPlace::Part part) {
  switch (part) {
    case TensorPlace::Part::Layer:
      return "layers";
    case TensorPlace::Part::Embedding:
      return "embedding";
    case TensorPlace::Part::Head:
      return "head";
    case TensorPlace::Part::FinalNorm:
      return "final_norm";
    case TensorPlace::Part::Vision:
      return "vision";
    case TensorPlace::Part::Draft:
      return "draft";
    case TensorPlace::Part::Other:
      return "other";
  }
  return "other";
}

json::object tensors_json(const ModelSpec& model) {
  json::object types, parts;
  std::int64_t bytes = 0;
  for (const DtypeSum& sum : sums_by_dtype(model)) {
    types[sum.dtype] = sum.sum.bytes.count();
    bytes += sum.sum.bytes.count();
  }
  for (const PartSum& sum : sums_by_part(model)) parts[part_word(sum.part)] = sum.sum.bytes.count();
  return {{"count", model.tensors.size()},
          {"bytes", bytes},
          {"bytes_by_dtype", std::move(types)},
          {"bytes_by_part", std::move(parts)}};
}

json::array splits_json(const Inspection& found) {
  json::array splits;
  for (const SplitRow& row : found.splits) {
    json::object one{{"tp", row.tensor}, {"ok", row.code.empty()}};
    if (!row.code.empty()) {
      one["code"] = row.code;
      one["name"] = row.name;
      one["why"] = english(row.why);
    }
    splits.push_back(std::move(one));
  }
  return splits;
}

json::array ranks_json(const Ranks& ranks) {
  json::array rows;
  for (const RankRow& row : ranks.rows) {
    json::array notes;
    for (const Message& note : row.weights.notes) notes.push_back(json::string(english(note)));
    rows.push_back({{"gpu", row.gpu},
                    {"stage", row.stage},
                    {"rank", row.rank},
                    {"layers", row.layers},
                    {"weights_bytes", row.weights.bytes.count()},
                    {"low", row.weights.low.count()},
                    {"high", row.weights.high.count()},
                    {"replicated_bytes", row.weights.replicated.count()},
                    {"origin", json::string(word(row.weights.origin))},
                    {"notes", std::move(notes)}});
  }
  return rows;
}

std::string_view sum_word(SumState state) {
  switch (state) {
    case SumState::Same:
      return "same";
    case SumState::Different:
      return "different";
    case SumState::NoSum:
      return "no_sum";
    case SumState::Unread:
      return "unread";
    case SumState::Skipped:
      return "skipped";
  }
  return "skipped";
}

json::object verified_json(const Verification& verified) {
  json::array files;
  for (const VerifiedFile& file : verified.files) {
    files.push_back({{"path", file.path},
                     {"bytes", file.bytes.count()},
                     {"state", json::string(sum_word(file.state))},
                     {"sha256", file.found},
                     {"expected", file.expected},
                     {"detail", file.detail.english}});
  }
  json::array missing(verified.listed_not_there.begin(), verified.listed_not_there.end());
  return {{"files", std::move(files)},
          {"listed_not_there", std::move(missing)},
          {"bytes", verified.bytes.count()},
          {"interrupted", verified.interrupted}};
}

json::array unfinished_json(const DownloadPlace& place) {
  json::array parts;
  for (const UnfinishedDownload& part : place.unfinished) {
    parts.push_back({{"path", part.path},
                     {"bytes", part.bytes.count()},
                     {"client", json::string(part.client->name)}});
  }
  return parts;
}

json::array parts_json(const std::vector<PipelinePart>& parts) {
  json::array all;
  for (const PipelinePart& part : parts) {
    all.push_back({{"name", part.name},
                   {"library", part.library},
                   {"class", part.type},
                   {"bytes", part.bytes().count()},
                   {"tensors", part.files.tensors.size()},
                   {"files", files_json(part.files)}});
  }
  return all;
}

}  // namespace

std::string inspect_json(const Inspection& found) {
  json::array problems;
  for (const Message& problem : found.problems) problems.push_back(json::string(english(problem)));
  json::object answer{
      {"schema", "sextant.inspect/1"},
      {"tool", {{"name", "sextant"}, {"version", SEXTANT_VERSION}}},
      {"model", model_json(found.model)},
      {"files", files_json(found.model)},
      {"tensors", tensors_json(found.model)},
      {"engine", {{"name", json::string(found.engine)}, {"version", found.version}}},
      {"splits", splits_json(found)},
      {"unfinished", unfinished_json(found.download)},
      {"problems", std::move(problems)},
      {"commands", json::array(found.commands.begin(), found.commands.end())},
      {"damaged", found.damaged}};
  if (found.ranks) {
    answer["per_rank"] = ranks_json(*found.ranks);
    if (!found.ranks->why_none.empty()) answer["per_rank_why"] = english(found.ranks->why_none);
  }
  if (!found.parts.empty()) answer["components"] = parts_json(found.parts);
  if (found.verified) answer["verified"] = verified_json(*found.verified);
  // Names of files may hold any bytes.
  return printable_json(valid_utf8(json::serialize(answer))) + '\n';
}

}  // namespace sx
