// Changes by name.
#include <string>
#include <utility>

#include "facts/edit_command.h"

namespace sx {

Change set_flag(std::string name, std::string value) {
  return {Change::Kind::SetFlag, std::move(name), std::move(value)};
}
Change add_switch(std::string name) { return {Change::Kind::AddSwitch, std::move(name), {}}; }
Change remove_flag(std::string name) { return {Change::Kind::RemoveFlag, std::move(name), {}}; }
Change rename_flag(std::string name, std::string new_name) {
  return {Change::Kind::RenameFlag, std::move(name), std::move(new_name)};
}
Change set_environment(std::string name, std::string value) {
  return {Change::Kind::SetEnvironment, std::move(name), std::move(value)};
}
Change remove_environment(std::string name) {
  return {Change::Kind::RemoveEnvironment, std::move(name), {}};
}
Change set_model(std::string value) { return {Change::Kind::SetModel, {}, std::move(value)}; }
Change replace_word(std::size_t index, std::string value) {
  return {Change::Kind::ReplaceWord, std::to_string(index), std::move(value)};
}
Change remove_word(std::size_t index) {
  return {Change::Kind::RemoveWord, std::to_string(index), {}};
}
Change insert_word(std::size_t behind, std::string value) {
  return {Change::Kind::InsertWord, std::to_string(behind), std::move(value)};
}

Change replace_front(std::size_t index, std::string value) {
  return {Change::Kind::ReplaceFront, std::to_string(index), std::move(value)};
}
Change add_option(std::string name, std::string value) {
  return {Change::Kind::AddOption, std::move(name), std::move(value)};
}
Change move_to_front(std::size_t index, std::size_t count) {
  return {Change::Kind::MoveToFront, std::to_string(index), std::to_string(count)};
}
Change move_inside(std::size_t index, std::size_t count) {
  return {Change::Kind::MoveInside, std::to_string(index), std::to_string(count)};
}

bool changes_front(const Change& change) {
  return change.kind == Change::Kind::ReplaceFront || change.kind == Change::Kind::AddOption ||
         change.kind == Change::Kind::MoveToFront || change.kind == Change::Kind::MoveInside;
}

}  // namespace sx
