package bench

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Hostile are requests that only an attacker sends. Each grows with n, in every dialect that reads requests.
var Hostile = kindsOf(texts, members, callsAndResults, toolsAndSchemas)

func kindsOf(groups ...map[string]func(d Words, n int) []byte) map[string]func(d Words, n int) []byte {
	all := map[string]func(d Words, n int) []byte{}
	for _, group := range groups {
		maps.Copy(all, group)
	}
	return all
}

// HostileRequest is a hostile request of a dialect. Where the dialect has no words here, it is what becomes of that of AG-UI.
func HostileRequest(name string, d *hub.Dialect, n int) ([]byte, error) {
	if words, ok := wordsOf[d.Name]; ok {
		return Hostile[name](words, n), nil
	}
	from, err := adapters.Lookup("agui")
	if err != nil {
		return nil, err
	}
	words := wordsOf[from.Name]
	words.Tail = "," + words.User("last", `"x"`) + words.Tail // agents that take a question refuse what asks nothing
	return Translate(from, d, Hostile[name](words, n))
}

// texts are requests with much of one thing: messages and what is said in them.
var texts = map[string]func(d Words, n int) []byte{
	"tiny messages": func(d Words, n int) []byte { return d.body(n, func(int) string { return d.User("u", `"x"`) }) },
	"a message of many parts": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.User("u", "["+strings.TrimSuffix(strings.Repeat(d.Part+",", n), ",")+"]") })
	},
	"an answer of many parts": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.Answer("a", "["+strings.TrimSuffix(strings.Repeat(d.Said+",", n), ",")+"]") })
	},
	"an answer of many parts with a long id": func(d Words, n int) []byte {
		parts := "[" + strings.TrimSuffix(strings.Repeat(d.Said+",", n), ",") + "]"
		return d.body(1, func(int) string { return d.Answer(strings.Repeat("i", 100*n), parts) })
	},
	"reasoning": func(d Words, n int) []byte { return d.body(n, func(int) string { return d.Reasoning }) },
	"a long text": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.User("u", `"`+strings.Repeat(`a\"b\\n\u00e9 `, 5*n)+`"`) })
	},
	"a file": func(d Words, n int) []byte {
		return d.body(1, func(int) string { return d.User("u", "["+fmt.Sprintf(d.File, strings.Repeat("QUJD", 25*n))+"]") })
	},
	"users and agents by turns": func(d Words, n int) []byte {
		return d.body(n, func(i int) string {
			return d.User("u"+strconv.Itoa(i), `"x"`) + "," + d.Answer("a"+strconv.Itoa(i), d.quoted("y"))
		})
	},
	"system messages": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.User("u", `"x"`) + "," + d.System })
	},
	"answers": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Answer("a", d.quoted("y")) })
	},
	"files": func(d Words, n int) []byte {
		return d.one(d.User("u", "["+list(n, func(int) string { return fmt.Sprintf(d.File, "QUJD") })+"]"))
	},
	"files by turns with texts": func(d Words, n int) []byte {
		return d.one(d.User("u", "["+list(n, func(int) string { return fmt.Sprintf(d.File, "QUJD") + "," + d.Part })+"]"))
	},
	"documents": func(d Words, n int) []byte {
		return d.one(d.User("u", "["+list(n, func(int) string { return fmt.Sprintf(d.Document, "QUJD") })+"]"))
	},
	"surrogates": func(d Words, n int) []byte {
		return d.one(d.User("u", `"`+strings.Repeat(`\ud83d\ude00\ud83d\u0000`, n)+`"`))
	},
}

// members are requests with much of one thing: members and elements that nothing has a place for, or that come twice.
var members = map[string]func(d Words, n int) []byte{
	"duplicate members": func(d Words, n int) []byte {
		return []byte("{" + strings.Repeat(`"messages":[],"contents":[],"input":[],"x":[1],`, n) + string(d.body(1, func(int) string { return d.User("u", `"x"`) })[1:]))
	},
	"duplicate members of messages": func(d Words, n int) []byte {
		return d.body(1, func(int) string {
			return "{" + strings.Repeat(`"role":"user","content":"x","id":"y",`, n) + d.User("u", `"x"`)[1:]
		})
	},
	"unknown members of a message": func(d Words, n int) []byte {
		return d.one(with(d.User("u", `"x"`), list(n, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })))
	},
	"unknown members with escapes": func(d Words, n int) []byte {
		return d.one(with(d.User("u", `"x"`), list(n, func(i int) string { return fmt.Sprintf(`"\u0078%d":1`, i) })))
	},
	"unknown members of a part": func(d Words, n int) []byte {
		return d.one(d.User("u", "["+with(d.Part, list(n, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) }))+"]"))
	},
	"unknown members of a request": func(d Words, n int) []byte {
		return []byte(with(string(d.one(d.User("u", `"x"`))), list(n, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })))
	},
	"metadata": func(d Words, n int) []byte {
		return []byte(with(string(d.one(d.User("u", `"x"`))), `"metadata":{`+list(n, func(i int) string { return fmt.Sprintf(`"x%d":"1"`, i) })+`},"forwardedProps":{`+
			list(n, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })+`},"state":{`+list(n, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })+`},"context":[`+
			list(n, func(i int) string { return `{"description":"d","value":"v"}` })+`]`))
	},
	"unknown parts": func(d Words, n int) []byte {
		return d.one(d.User("u", "["+list(n, func(int) string { return `{"type":"zz","kind":"zz"}` })+"]"))
	},
	"unknown messages": func(d Words, n int) []byte {
		return d.body(n, func(int) string { return `{"type":"zz","role":"zz"}` })
	},
	"messages that are no objects": func(d Words, n int) []byte {
		return d.body(n, func(int) string { return `1,null,"x",[]` })
	},
	"a long key": func(d Words, n int) []byte {
		key := strings.Repeat(`k\"é`, 10*n)
		return d.one(with(d.User("u", `"x"`), `"`+key+`":1`) + "," + d.Deep(`{"`+key+`":1}`))
	},
}
