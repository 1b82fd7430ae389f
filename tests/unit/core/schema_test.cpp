#include "core/schema.hpp"

#include <gtest/gtest.h>

#include "schemas/schemas.hpp"

namespace npuprof {
namespace {

const Json window = {
    {"type", "object"},
    {"additionalProperties", false},
    {"required", {"steps"}},
    {"properties",
     {{"steps", {{"type", "integer"}, {"minimum", 1}}},
      {"files", {{"type", "array"}, {"items", {{"type", "string"}, {"maxLength", 5}}}}},
      {"inner", {{"type", "object"}, {"properties", {{"deep", {{"type", "boolean"}}}}}}}}}};

TEST(Schema, ConformingDocumentsHaveNoViolation) {
  EXPECT_TRUE(Schema::of(window).violations({{"steps", 3}, {"files", {"a"}}}).empty());
}

TEST(Schema, AViolationNamesTheField) {
  const auto schema = Schema::of(window);
  const auto wrong_type = schema.check({{"steps", "many"}});
  ASSERT_FALSE(wrong_type.has_value());
  EXPECT_EQ(wrong_type.error().code, "INVALID_ARGUMENTS");
  EXPECT_NE(wrong_type.error().message.find("steps"), std::string::npos)
      << wrong_type.error().message;
  EXPECT_EQ(schema.violations({{"steps", 1}, {"files", {"ok", "too long"}}}).at(0).path,
            "files[1]");
  EXPECT_EQ(schema.violations({{"steps", 1}, {"inner", {{"deep", 1}}}}).at(0).path, "inner.deep");
  const auto unknown = schema.check({{"steps", 1}, {"extra", 1}});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("unknown field 'extra'"), std::string::npos)
      << unknown.error().message;
}

TEST(Schema, AKeywordThatIsNotCheckedIsRefused) {
  EXPECT_FALSE(Schema::compile({{"type", "string"}, {"pattern", "a+"}}).has_value());
  EXPECT_FALSE(Schema::compile({{"type", "object"}, {"properties", {{"a", {{"format", "date"}}}}}})
                   .has_value());
}

TEST(Schema, TheFormatsSharedWithTheHostCompile) {
  for (const auto* name : {"job", "event", "status"}) {
    EXPECT_TRUE(Schema::compile(schemas::load(name)).has_value()) << name;
  }
}

}  // namespace
}  // namespace npuprof
