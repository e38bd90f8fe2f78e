// What rules about the condition of a machine share: which cards count, how they are named, and a
// launch on other cards instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/rule.h"
#include "check/speak.h"

namespace sx {

// The cards of the launch; all of the machine when it cannot be known which those are.
std::vector<const Gpu*> cards_in_question(const Case& c);

// Nothing is known against the card: no memory errors, no MIG, nobody else on it, within reach.
bool seems_well(const Gpu& gpu);

// "0, 3".
std::string numbers_of(const std::vector<const Gpu*>& cards);

// The card at a PCIe address in any spelling, as long as the machine lists it; null: none.
const Gpu* card_at(const HostSpec& host, std::string_view pci);

// Cards of the same kind that can take the place of the bad ones, as many as the launch wants, well
// linked where links are known. Nothing is proposed when there are too few, or nothing needs to
// change.
void propose_other_cards(const Case& c, const std::vector<const Gpu*>& bad,
                         std::vector<Proposal>& proposals);

// Where a fact of the machine stands: the line of a text, else a basis line in words.
template <class T>
void show(Diagnostic& d, const Fact<T>& fact, Message label, Message basis) {
  if (fact.span() && d.labels.size() < 3) {
    d.labels.push_back({*fact.span(), std::move(label), d.labels.empty()});
  } else {
    d.basis.push_back(std::move(basis));
  }
}

}  // namespace sx
