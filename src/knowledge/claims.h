// Popular advice that is wrong, out of date or half right, and what is right (data/claims.tsv).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/condition.h"
#include "knowledge/constraints.h"

namespace sx {

struct ClaimRow {
  std::string_view id;       // "loc-keeps-p2p"
  std::string_view verdict;  // wrong, outdated, partly
  Sentence claim, right;
  std::vector<std::string_view> shows;  // flags, variables and topics that it is about
  // Of a claim that a launch can be seen to rest on: when it does, what is underlined, what is said
  // of it, and how it is mended (as in constraints.h). Empty: it shows in no launch.
  std::string_view when;
  // What `when` says, read when it is asked for; empty: it says nothing.
  std::optional<Condition> condition() const {
    return when.empty() ? std::nullopt : Condition::read(when);
  }
  std::vector<std::string_view> marks;
  Sentence title;
  std::string_view fix;
  std::optional<Version> since, until;  // of the engine, where it matters
  std::string_view source;

  bool holds_in(const Version& version) const;
};

std::span<const ClaimRow> claims();
const ClaimRow* find_claim(std::string_view id);

// Claims about a flag or a variable.
std::vector<const ClaimRow*> claims_about(std::string_view name);

}  // namespace sx
