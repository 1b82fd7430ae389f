"""A check of documents against the JSON Schemas under schemas/, for the keywords that those use."""

import json
import os

SCHEMAS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "schemas")
ANNOTATIONS = {"$schema", "title", "description", "default", "examples"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
         "null": type(None)}


def load(name):
    with open(os.path.join(SCHEMAS, name + ".schema.json")) as file:
        return json.load(file)


def problems(document, schema, place="$"):
    """What is wrong with a document, in words; empty where nothing is. A keyword it can't check raises."""
    found = []
    for keyword, rule in schema.items():
        if keyword not in ANNOTATIONS:
            found += globals()["check_" + keyword.lower()](document, rule, schema, place)
    return found


def check_type(document, rule, schema, place):
    fits = isinstance(document, TYPES[rule]) and not (isinstance(document, bool) and rule in ("integer", "number"))
    return [] if fits else ["%s is %r, not %s" % (place, document, rule)]


def check_enum(document, rule, schema, place):
    return [] if document in rule else ["%s is %r, not one of %s" % (place, document, rule)]


def check_const(document, rule, schema, place):
    return [] if document == rule else ["%s is %r, not %r" % (place, document, rule)]


def check_required(document, rule, schema, place):
    return ["%s lacks %s" % (place, name) for name in rule if isinstance(document, dict) and name not in document]


def check_properties(document, rule, schema, place):
    if not isinstance(document, dict):
        return []
    return [problem for name, part in rule.items() if name in document
            for problem in problems(document[name], part, place + "." + name)]


def check_additionalproperties(document, rule, schema, place):
    if not isinstance(document, dict):
        return []
    others = [name for name in document if name not in schema.get("properties", {})]
    if rule is False:
        return ["%s has %s, which is unknown" % (place, name) for name in others]
    return [] if rule is True else [problem for name in others
                                    for problem in problems(document[name], rule, place + "." + name)]


def check_items(document, rule, schema, place):
    if not isinstance(document, list):
        return []
    return [problem for index, part in enumerate(document) for problem in problems(part, rule, "%s[%d]" % (place, index))]


def check_anyof(document, rule, schema, place):
    tries = [problems(document, part, place) for part in rule]
    return [] if any(not found for found in tries) else min(tries, key=len)


def check_minimum(document, rule, schema, place):
    return ["%s is below %s" % (place, rule)] if isinstance(document, (int, float)) and document < rule else []


def check_maximum(document, rule, schema, place):
    return ["%s is above %s" % (place, rule)] if isinstance(document, (int, float)) and document > rule else []


def check_minlength(document, rule, schema, place):
    return ["%s is too short" % place] if isinstance(document, str) and len(document) < rule else []


def check_maxlength(document, rule, schema, place):
    return ["%s is too long" % place] if isinstance(document, str) and len(document) > rule else []
