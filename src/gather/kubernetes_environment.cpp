// The environment of a Kubernetes container, and the $(VARIABLES) that the kubelet replaces in it,
// in commands and in arguments.
#include <algorithm>

#include "gather/kubernetes_container.h"
#include "gather/manifest_values.h"
#include "read/settings.h"
#include "read/yaml_placed.h"

namespace sx {
namespace {

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

// Set by Kubernetes itself for each service of the namespace, or by whoever makes the group.
bool may_be_set_elsewhere(std::string_view name, const KubernetesVariables& variables) {
  if (variables.others) return true;
  if (variables.workload.in_group && name.starts_with("LWS_")) return true;
  return name.contains("_SERVICE_") || name.contains("_PORT_");
}

class Expansion {
 public:
  Expansion(const PlacedText& text, const KubernetesVariables& variables)
      : text_(text), variables_(variables), out_(text.source()) {}

  PlacedText run() {
    const std::string& text = text_.text();
    while (at_ < text.size()) {
      if (text.compare(at_, 2, "$$") == 0) {
        replace("$", 2, true);
      } else if (text.compare(at_, 2, "$(") == 0) {
        take_variable();
      } else {
        out_.add(text_, at_++);
      }
    }
    return std::move(out_);
  }

 private:
  void replace(std::string_view value, std::size_t length, bool complete) {
    out_.add(value, text_.span(at_, at_ + length), complete);
    at_ += length;
  }

  void take_variable() {
    const std::string_view text = text_.text();
    const std::size_t close = text.find(')', at_);
    const std::string_view name = close == std::string_view::npos
                                      ? std::string_view()
                                      : text.substr(at_ + 2, close - at_ - 2);
    if (!is_variable_name(name)) return out_.add(text_, at_++);
    const std::size_t length = close + 1 - at_;
    const Setting* setting = last_setting(variables_.environment, name);
    if (setting != nullptr && setting->complete) return replace(setting->value, length, true);
    const bool group_size = variables_.workload.in_group && name == "LWS_GROUP_SIZE";
    if (group_size && variables_.workload.hosts)
      return replace(std::to_string(variables_.workload.hosts.value()), length, true);
    if (setting != nullptr || may_be_set_elsewhere(name, variables_))
      return replace(text.substr(at_, length), length, false);
    // The kubelet leaves it as it is.
    for (std::size_t end = at_ + length; at_ < end;) out_.add(text_, at_++);
  }

  const PlacedText& text_;
  const KubernetesVariables& variables_;
  PlacedText out_;
  std::size_t at_ = 0;
};

}  // namespace

PlacedText kubernetes_expanded(const PlacedText& text, const KubernetesVariables& variables) {
  if (text.text().find("$(") == std::string::npos) return text;
  return Expansion(text, variables).run();
}

bool is_no_text(const Sources& sources, const YamlNode& scalar) {
  if (scalar.kind != YamlNode::Kind::Scalar || scalar.quoted) return false;
  const YamlStyle style = style_of(sources, scalar);
  if (style != YamlStyle::Plain && style != YamlStyle::Alias) return false;
  const std::string& text = scalar.text;
  // The API server's YAML reads 1:30 as a text, y and n as bools, 1e3 as a number.
  if (text.find(':') != std::string::npos) return false;
  if (text == "y" || text == "Y" || text == "n" || text == "N") return true;
  switch (scalar.type) {
    case YamlNode::Type::Bool:
    case YamlNode::Type::Integer:
    case YamlNode::Type::Number:
      return true;
    case YamlNode::Type::Null:
      return false;
    case YamlNode::Type::String:
      break;
  }
  const std::size_t exponent = text.find_first_of("eE");
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return exponent != std::string::npos && digits(text.substr(0, exponent)) &&
         digits(text.substr(exponent + 1));
}

void take_kubernetes_environment(const Sources& sources, const KubernetesWorkload& workload,
                                 const YamlNode& container, Container& out) {
  const YamlNode* env = container.find("env");
  if (env == nullptr) return;
  const bool others = container.find("envFrom") != nullptr;
  for (const YamlNode& item : env->items) {
    const YamlNode* name = item.find("name");
    if (name == nullptr || name->kind != YamlNode::Kind::Scalar) continue;
    const YamlNode* value = item.find("value");
    const bool scalar = value != nullptr && value->kind == YamlNode::Kind::Scalar;
    Setting setting{.name = name->text,
                    .span = scalar ? value->span : item.span,
                    .literal = false,
                    .complete = item.find("valueFrom") == nullptr,
                    .prefix = item.find("valueFrom") == nullptr,
                    .form = Setting::Form::ValueAlone,
                    .quoting = Quoting::Yaml};
    if (scalar) {
      const PlacedText raw = placed_text(sources, *value);
      const PlacedText text = kubernetes_expanded(raw, {out.environment, others, workload});
      setting.value = text.text();
      setting.complete = setting.complete && text.complete();
      setting.literal = text.text() == raw.text() && style_of(sources, *value) != YamlStyle::Alias;
      if (is_no_text(sources, *value)) {
        out.around.faults.push_back(
            {ManifestFault::Kind::NotText, setting.name, value->text, value->span});
      }
    }
    const std::string lead = lead_of(sources, item.span, false);
    if (!lead.empty() && lead.size() <= item.span.begin) {
      const std::size_t end = end_of(sources, item.span);
      setting.whole = Span{item.span.source, item.span.begin - lead.size(), end};
      out.environment_at = end;
      out.new_setting = {
          .kind = NewSetting::Kind::NamedItem, .lead = lead, .quoting = Quoting::Yaml};
    } else {
      setting.literal = false;
    }
    out.environment.push_back(std::move(setting));
  }
}

}  // namespace sx
