package declared

import (
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Schema returns the JSON Schema (draft 2020-12) of a document, for editors: one object without references, so that it can
// stand anywhere in a larger schema. What it accepts has the right keys and types; the rest only [Parse] can say.
func Schema() []byte {
	top := []property{
		{"title", textSchema, "Who speaks the dialect, in a few words."},
		{"doc", textSchema, "One sentence for lists."},
		{"framing", framingSchema, "How what is written is framed."},
		{"framings", list(framingSchema), "What else the dialect travels in."},
		{"accept", oneOrMore(textSchema), "Media types in an Accept header that choose the dialect."},
		{"type", oneOrMore(textSchema), "Path of what says the type of a record; @event is the SSE event name."},
		{"end_mark", textSchema, "Text of a last record that is no JSON object, such as [DONE]."},
		{"end_of_body", enum("cut", "done"), "What a body means that ends without a record that ends the run."},
		{"settle", textSchema, "How long the end of a run waits for records that come after it."},
		{"keepalive", anyOf(textSchema, object([]string{"write"}, []property{{"event", textSchema, ""}, {"write", textSchema, ""}})),
			"The record that shows that the stream lives."},
		{"http_error", textSchema, "Template for the body of an HTTP error."},
		{"request", textSchema, "Template for the body that servers take."},
		{"tools", toolsSchema(), "How tool calls are distinguished."},
		{"common", commonSchema(), "Fields of all events."},
		{"decode", list(decodeSchema()), "How records are read; the first rule that is about a record decides."},
		{"else", enum("raw", "drop", "error"), "What becomes of records for which there is no rule."},
		{"lanes", enum("drop", "flat"), "What becomes of events of sub-agents, where a rule does not know of lanes."},
		{"samples", textSchema, "Records as the server writes them, to check the rules with."},
		{"encode", list(encodeSchema()), "How events are written; the first rule that is about an event decides."},
	}
	return []byte(object(nil, top))
}

// property is a key of a map.
type property struct{ name, schema, doc string }

var framingSchema = enum("sse", "ndjson", "concat", "websocket", "length-prefix", "content-length")

const (
	scalarSchema = `{"type":["string","number","boolean"]}`
	textSchema   = `{"type":"string"}`
	flagSchema   = `{"type":"boolean"}`
)

func enum(values ...string) string { return `{"enum":` + texts(values) + `}` }

// texts is a JSON array of strings.
func texts(values []string) string {
	dst := []byte{'['}
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(dst, []byte(v))
	}
	return string(append(dst, ']'))
}

func list(item string) string { return `{"type":"array","minItems":1,"items":` + item + `}` }

func anyOf(schemas ...string) string { return `{"anyOf":[` + strings.Join(schemas, ",") + `]}` }

func oneOrMore(item string) string { return anyOf(item, list(item)) }

// mapOf is a map whose keys the user chose.
func mapOf(value string) string { return `{"type":"object","additionalProperties":` + value + `}` }

// object is a map with these keys and no others.
func object(required []string, all []property) string {
	dst := []byte(`{"type":"object","additionalProperties":false`)
	if len(required) > 0 {
		dst = append(append(dst, `,"required":`...), texts(required)...)
	}
	dst = append(dst, `,"properties":{`...)
	for i, p := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, []byte(p.name)), ':')
		if p.doc == "" {
			dst = append(dst, p.schema...)
			continue
		}
		dst = rawjson.AppendString(append(dst, `{"description":`...), []byte(p.doc))
		dst = append(append(dst, ','), p.schema[1:]...)
	}
	return string(append(dst, "}}"...))
}

func toolsSchema() string {
	return object(nil, []property{
		{"id", oneOrMore(textSchema), "Path of the id of a call."},
		{"name", oneOrMore(textSchema), "Path of the name of its tool."},
		{"match", enum("fifo", "lifo"), "Records without an id belong to the oldest or the newest open call of that name."},
		{"prefix", textSchema, "Of the ids that are then made."},
		{"implicit", oneOrMore(scalarSchema), "Tools that report without being called first."},
		{"sequential", flagSchema, "The agent never speaks while a tool runs."},
		{"serialise", flagSchema, "What is written of a call waits until an earlier call of the same tool has ended."},
	})
}

func commonSchema() string {
	var all []property
	for f := fieldNone + 1; f < fieldCount; f++ {
		if common.has(f) {
			all = append(all, property{f.String(), sourceSchema(f), ""})
		}
	}
	return object(nil, all)
}

// sourceSchema is what can stand behind the name of a field in set.
func sourceSchema(f field) string {
	from := property{"from", oneOrMore(textSchema), "Where the value comes from."}
	longForm := []property{from, {"as", enum("text", "json"), ""}, {"map", mapOf(scalarSchema), ""}, {"else", scalarSchema, ""}}
	switch f.form() {
	case formWord:
		word := enum(words(f)...)
		return anyOf(word, object([]string{"from", "map"}, []property{from, {"map", mapOf(word), ""}, {"else", word, ""}}))
	case formItems, formOptions:
		all := []property{from}
		part := anyOf(textSchema, object([]string{"from"}, longForm))
		for _, name := range listParts[f] {
			all = append(all, property{name, part, ""})
		}
		return object([]string{"from"}, all)
	}
	return anyOf(textSchema, list(textSchema), object([]string{"from"}, longForm))
}

// setSchema lists the names of all fields once, and says more only of those that differ from most: the schema stands twice
// in that of a rule.
func setSchema() string {
	var names []string
	var special []property
	for f := fieldNone + 1; f < fieldKind; f++ {
		names = append(names, f.String())
		if form := f.form(); form == formWord || form == formItems || form == formOptions {
			special = append(special, property{f.String(), sourceSchema(f), ""})
		}
	}
	for _, name := range settableNames() {
		names = append(names, name)
		special = append(special, property{name, flagSchema, ""})
	}
	rest := `{"type":"object","propertyNames":` + enum(names...) + `,"additionalProperties":` + sourceSchema(fieldText)
	return rest + strings.TrimPrefix(object(nil, special), `{"type":"object","additionalProperties":false`)
}

func conditionSchema() string {
	return anyOf(scalarSchema, list(scalarSchema), object(nil, []property{
		{"is", oneOrMore(enum(kindNames...)), "What kind of value it is."},
		{"not", oneOrMore(scalarSchema), "What it is not."},
		{"only", oneOrMore(scalarSchema), "The members that it has, in this order, and no others."},
	}))
}

// conditions are the keys for them, in both directions.
func conditions() []property {
	return []property{
		{"when", mapOf(conditionSchema()), "Conditions, all of which hold."},
		{"has", oneOrMore(textSchema), "What is there."},
		{"lacks", oneOrMore(textSchema), "What is not there."},
	}
}

func decodeSchema() string {
	set := property{"set", setSchema(), "Where the fields of the event come from."}
	block := property{"block", textSchema, "The text is a part of its own, with an id that begins so."}
	optional := property{"optional", flagSchema, "Where what the event cannot be without is absent, there is no event."}
	made := slices.DeleteFunc(hub.Kinds(), func(k hub.Kind) bool { return k == hub.Raw })
	kind := enum(namesOf(made)...)
	one := object([]string{"kind"}, append(conditions(), property{"kind", kind, "The event."}, set, block, optional))
	return object([]string{"emit"}, append(conditions(),
		property{"type", oneOrMore(scalarSchema), "The type of the records."},
		property{"each", textSchema, "Path of a list, whose elements the rule is about."},
		property{"late", flagSchema, "The rule applies after the end of the run too."},
		property{"continue", flagSchema, "The rules that follow are tried as well."},
		property{"emit", anyOf(enum("none"), kind, list(kind), list(one), one), "What such a record means."},
		set, block, optional,
	))
}

func encodeSchema() string {
	return object([]string{"on", "write"}, append(conditions(),
		property{"on", oneOrMore(enum(namesOf(hub.Kinds())...)), "The kinds of events that are written so."},
		property{"write", oneOrMore(textSchema), "The JSON of the record, with placeholders such as $text; or none."},
		property{"event", textSchema, "The SSE event name of the record."},
		property{"block", flagSchema, "Pieces of a text are collected and written as a whole."},
		property{"item", textSchema, "Template of an element of $items or $options."},
		property{"map", mapOf(mapOf(scalarSchema)), "What values are called on the wire, by field."},
		property{"fate", enum(namesOf(hub.Dispositions())...), "What the counters say of the events."},
	))
}
