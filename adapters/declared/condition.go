package declared

import (
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// condition is one demand on a JSON value. Everything that is set must hold.
type condition struct {
	equal  []rawjson.Value // one of these
	unlike []rawjson.Value // none of these
	kinds  string          // one of these kinds of value: '"' '{' '[' '0' 'b' 'n'
	filled bool            // not an empty string
	has    bool            // there, and not null
	lacks  bool            // absent or null
	only   [][]byte        // an object with these members in this order, string bodies
	object bool            // only is meant, even if it lists nothing
}

// kindLetters are the names of the kinds of values; bool stands for the two of true and false.
var kindLetters = map[string]string{
	"string": `"`, "text": `"`, "object": "{", "array": "[", "number": "0", "bool": "tf", "null": "n",
}

var kindNames = []string{"string", "text", "object", "array", "number", "bool", "null"}

// readCondition reads a condition: a value or a list of values that it may be, or a map of is, not and only.
func readCondition(n node) (t condition) {
	switch n.val.(type) {
	case map[string]any, map[any]any:
		m, _ := n.fixed("is", "not", "only")
		t.readKinds(m.get("is"))
		t.unlike = readConstants(m.get("not"))
		t.readOnly(m.get("only"))
		if len(m.vals) == 0 {
			n.problem("says nothing; give it is, not or only")
		}
	case nil:
		n.problem("has no value; say what it must be, or use has and lacks")
	default:
		t.equal = readConstants(n)
	}
	return t
}

// readConstants reads one or more single values.
func readConstants(n node) (all []rawjson.Value) {
	for _, e := range n.oneOrMore() {
		s, isText, ok := scalar(e.val)
		switch {
		case !ok:
			e.problem("must be a single value, not %s", kindOf(e.val))
		case isText:
			all = append(all, rawjson.AppendString(nil, []byte(s)))
		default:
			all = append(all, rawjson.Value(s))
		}
	}
	return all
}

func (t *condition) readKinds(n node) {
	if list, ok := n.val.([]any); ok {
		n.val = slices.Clone(list)
		for i, v := range list {
			if v == nil {
				n.val.([]any)[i] = "null" // as one writes it
			}
		}
	}
	for _, e := range n.oneOrMore() {
		s, ok := e.text()
		switch {
		case !ok:
		case kindLetters[s] == "":
			e.problem("must be one of %s, not %q", strings.Join(kindNames, ", "), clip(s))
		default:
			t.kinds += kindLetters[s]
			t.filled = t.filled || s == "text"
		}
	}
}

func (t *condition) readOnly(n node) {
	if !n.isSet() {
		return
	}
	t.object = true
	names, isList := n.val.([]any)
	if isList && len(names) == 0 {
		return // an empty object
	}
	for _, e := range n.oneOrMore() {
		if s, ok := e.word(); ok {
			t.only = append(t.only, rawjson.AppendEscaped(nil, []byte(s)))
		}
	}
}

// holds reports whether v, nil if absent, is as wanted.
func (t *condition) holds(v rawjson.Value) bool {
	if t.has && rawjson.IsNull(v) || t.lacks && !rawjson.IsNull(v) {
		return false
	}
	if len(t.equal) > 0 && !isOneOf(v, t.equal) || len(t.unlike) > 0 && isOneOf(v, t.unlike) {
		return false
	}
	if t.kinds != "" && !t.isKind(v) {
		return false
	}
	return !t.object || hasOnly(v, t.only)
}

// holdsBody is holds for a string that is known by its body; nil is absent.
func (t *condition) holdsBody(body []byte) bool {
	if t.has && body == nil || t.lacks && body != nil || t.object {
		return false
	}
	is := func(v rawjson.Value) bool {
		want, ok := rawjson.Str(v)
		return ok && body != nil && rawjson.EqualBody(want, body)
	}
	if len(t.equal) > 0 && !slices.ContainsFunc(t.equal, is) || slices.ContainsFunc(t.unlike, is) {
		return false
	}
	return t.kinds == "" || strings.IndexByte(t.kinds, '"') >= 0 && body != nil && (len(body) > 0 || !t.filled)
}

func (t *condition) isKind(v rawjson.Value) bool {
	k := rawjson.Kind(v)
	if k == 0 || strings.IndexByte(t.kinds, k) < 0 {
		return false
	}
	if k != '"' || !t.filled {
		return true
	}
	return len(rawjson.Body(v)) > 0
}

// isOneOf compares strings by their plain text and other values as JSON.
func isOneOf(v rawjson.Value, list []rawjson.Value) bool {
	body, isString := rawjson.Str(v)
	for _, want := range list {
		wanted, isText := rawjson.Str(want)
		if isString && isText && rawjson.EqualBody(body, wanted) || !isString && !isText && v != nil && rawjson.Equal(v, want) {
			return true
		}
	}
	return false
}

// hasOnly reports whether v is an object with these members in this order.
func hasOnly(v rawjson.Value, names [][]byte) bool {
	if rawjson.Kind(v) != '{' {
		return false
	}
	it := rawjson.Fields(v)
	for _, name := range names {
		if key, _, ok := it.Next(); !ok || !rawjson.EqualBody(key, name) {
			return false
		}
	}
	_, _, more := it.Next()
	return !more
}
