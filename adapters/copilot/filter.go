package copilot

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Filter tells the events that Caco shows from those that it keeps from its clients: an event passes if its type is on
// one list, or if it has one of the properties on the other and that is not empty. A Filter does not change and may be
// shared.
type Filter struct {
	types      []string
	properties []string
}

// What Caco lets pass.
const (
	defaultFilterTypes      = "session.idle,session.error,caco.*"
	defaultFilterProperties = "content,deltaContent,intent,toolName,toolCallId,message,progressMessage,partialOutput," +
		"agentName"
)

// DefaultFilter is Caco's own.
var DefaultFilter = NewFilter(strings.Split(defaultFilterTypes, ","), strings.Split(defaultFilterProperties, ","))

// NewFilter makes a filter. A type that ends in * stands for all that begin so.
func NewFilter(types, properties []string) *Filter {
	return &Filter{types: types, properties: properties}
}

// Keep reports whether an event passes. typ is the body of a string; data is the object with the event's properties,
// nil if there is none: properties at the root of an event do not count.
func (f *Filter) Keep(typ, data []byte) bool {
	for _, t := range f.types {
		if prefix, all := strings.CutSuffix(t, "*"); all && strings.HasPrefix(string(typ), prefix) || string(typ) == t {
			return true
		}
	}
	for _, name := range f.properties {
		if isFilled(rawjson.Get(data, name)) {
			return true
		}
	}
	return false
}

// isFilled reports whether v is what JavaScript takes for true: white space counts, empty objects and arrays do too.
func isFilled(v rawjson.Value) bool {
	switch rawjson.Kind(v) {
	case 0, 'n', 'f':
		return false
	case '"':
		return len(rawjson.Body(v)) > 0
	case '0':
		return strings.Trim(string(v), "-0.eE+") != ""
	}
	return true
}
