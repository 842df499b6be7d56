package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// callsAndResults are requests with much of one thing: calls, their results, their ids and their arguments, and answers to questions about them.
var callsAndResults = map[string]func(d Words, n int) []byte{
	"equal ids": func(d Words, n int) []byte {
		return d.body(n, func(int) string { return d.Call("a", "c") }, func(int) string { return d.Result("c") })
	},
	"calls, then results": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Call("a"+strconv.Itoa(i), "c"+strconv.Itoa(i)) }) // without results
	},
	"results before calls": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Result("c" + strconv.Itoa(i)) }, func(i int) string { return d.Call("a", "c"+strconv.Itoa(i)) })
	},
	"results without calls": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Result("c" + strconv.Itoa(i)) })
	},
	"results of one call": func(d Words, n int) []byte {
		return d.body(n, func(i int) string {
			if i == 0 {
				return d.Call("a", "c")
			}
			return d.Result("c")
		})
	},
	"nested arguments": func(d Words, n int) []byte {
		return d.body(n/400+1, func(int) string { return d.Deep(strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400)) })
	},
	"long ids": func(d Words, n int) []byte {
		id := strings.Repeat("i", 50*n)
		return d.body(2, func(int) string { return d.Call(id, id) }, func(int) string { return d.Result(id) })
	},
	"long ids of one beginning": func(d Words, n int) []byte {
		id := func(i int) string { return strings.Repeat("i", 100) + strconv.Itoa(i) }
		return d.body(n, func(i int) string { return d.Call("a", id(i)) }, func(i int) string { return d.Result(id(i)) })
	},
	"illegal ids": func(d Words, n int) []byte {
		id := func(i int) string { return "é!" + strconv.Itoa(i) }
		return d.body(n, func(i int) string { return d.Call(id(i), id(i)) }, func(i int) string { return d.Result(id(i)) })
	},
	"no ids": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Call("", "") }, func(i int) string { return d.Result("") })
	},
	"ids that look made": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Call("m-"+strconv.Itoa(i), "c-"+strconv.Itoa(i)) }, func(i int) string { return d.Call("m", "c") })
	},
	"calls and results by turns": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Call("a", "c"+strconv.Itoa(i)) + "," + d.Result("c"+strconv.Itoa(i)) })
	},
	"calls and results by turns, of one id": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Call("a", "c") + "," + d.Result("c") })
	},
	"results in the opposite order": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.Call("a", "c"+strconv.Itoa(i)) }, func(i int) string { return d.Result("c" + strconv.Itoa(n-1-i)) })
	},
	"calls in one message": func(d Words, n int) []byte {
		return d.one(d.calls(n, func(i int) string { return "c" + strconv.Itoa(i) }))
	},
	"calls in one message, then results": func(d Words, n int) []byte {
		return d.one(d.calls(n, func(i int) string { return "c" + strconv.Itoa(i) }) + "," + list(n, func(i int) string { return d.Result("c" + strconv.Itoa(i)) }))
	},
	"calls in one message, then by turns": func(d Words, n int) []byte {
		return d.one(d.calls(n, func(i int) string { return "c" + strconv.Itoa(i) }) + "," +
			list(n, func(i int) string { return d.User("u", `"x"`) + "," + d.Call("a", "d"+strconv.Itoa(i)) }))
	},
	"calls of one id in one message": func(d Words, n int) []byte {
		return d.one(d.calls(n, func(int) string { return "c" }))
	},
	"many members in arguments": func(d Words, n int) []byte {
		return d.one(d.Deep("{" + list(n, func(i int) string { return fmt.Sprintf(`"a%d":[%d]`, i, i) }) + "}"))
	},
	"equal members in arguments": func(d Words, n int) []byte {
		return d.one(d.Deep("{" + list(n, func(i int) string { return `"a":1` }) + "}"))
	},
	"nested arrays": func(d Words, n int) []byte {
		return d.body(n/400+1, func(int) string { return d.Deep(`{"a":` + strings.Repeat(`[`, 400) + strings.Repeat("]", 400) + `}`) })
	},
	"quotes and backslashes in arguments": func(d Words, n int) []byte {
		return d.one(d.Deep(`{"a":"` + strings.Repeat(`\\\"\n`, 10*n) + `"}`))
	},
	"answers to calls": func(d Words, n int) []byte {
		return d.answered(d.calls(n, func(i int) string { return "c" + strconv.Itoa(i) }), n, func(i int) string { return "int-c" + strconv.Itoa(i) })
	},
	"answers to no calls": func(d Words, n int) []byte {
		return d.answered(d.calls(n, func(i int) string { return "c" + strconv.Itoa(i) }), n, func(i int) string { return "x" + strconv.Itoa(i) })
	},
	"answers beside results": func(d Words, n int) []byte {
		calls := d.calls(n, func(i int) string { return "c" + strconv.Itoa(i) })
		return d.answered(calls+","+list(n, func(i int) string { return d.Result("c" + strconv.Itoa(i)) }), n, func(i int) string { return "c" + strconv.Itoa(i) })
	},
}

// toolsAndSchemas are requests with much of one thing: what tools are declared and called, and the schemas of their arguments.
var toolsAndSchemas = map[string]func(d Words, n int) []byte{
	"tools": func(d Words, n int) []byte {
		return d.tools(n, func(i int) string { return "f" + strconv.Itoa(i) })
	},
	"tools of one long beginning": func(d Words, n int) []byte {
		return d.tools(n, func(i int) string { return strings.Repeat("f", 64) + strconv.Itoa(i) })
	},
	"tools with illegal names": func(d Words, n int) []byte {
		signs := []rune("!?*+&%$§/()=é")
		return d.tools(n, func(i int) string {
			name := "f"
			for range 5 {
				name += string(signs[i%len(signs)])
				i /= len(signs)
			}
			return name
		})
	},
	"tools of one name": func(d Words, n int) []byte {
		return d.tools(n, func(int) string { return "f" })
	},
	"calls of tools that are not declared": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.NamedCall("c"+strconv.Itoa(i), "f"+strconv.Itoa(i)) })
	},
	"calls of illegal tools that are not declared": func(d Words, n int) []byte {
		return d.body(n, func(i int) string { return d.NamedCall("c"+strconv.Itoa(i), strings.Repeat("é", 64)+strconv.Itoa(i)) })
	},
	"properties of a schema": func(d Words, n int) []byte {
		return d.schema(`{"type":"object","properties":{` + list(n, func(i int) string { return fmt.Sprintf(`"x%d":{"type":"string","$ref":"#/$defs/d","title":"x"}`, i) }) +
			`},"required":[` + list(n, func(i int) string { return fmt.Sprintf(`"x%d"`, i) }) + `],"$defs":{"d":{"type":["string","null"]}}}`)
	},
	"definitions of a schema": func(d Words, n int) []byte {
		return d.schema(`{"type":"object","properties":{` + list(n, func(i int) string { return fmt.Sprintf(`"x%d":{"$ref":"#/$defs/d%d"}`, i, i) }) +
			`},"$defs":{` + list(n, func(i int) string { return fmt.Sprintf(`"d%d":{"type":["string","null"]}`, i) }) + `}}`)
	},
	"nested schemas": func(d Words, n int) []byte {
		return []byte(with(string(d.one(d.User("u", `"x"`))), fmt.Sprintf(d.toolList, list(n/100+1, func(i int) string {
			return fmt.Sprintf(d.tool, "f"+strconv.Itoa(i), strings.Repeat(`{"type":"object","properties":{"a":`, 100)+`{"type":"string"}`+strings.Repeat("}}", 100))
		}))))
	},
	"references of a schema": func(d Words, n int) []byte {
		return d.schema(`{"allOf":[` + list(n, func(i int) string { return fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i) }) + `],"$defs":{` + list(n, func(i int) string {
			return fmt.Sprintf(`"d%d":{"properties":{"p%d":{"type":"string"}},"required":["p%d"]}`, i, i, i)
		}) + `}}`)
	},
	"references to a large schema": func(d Words, n int) []byte {
		return d.schema(`{"allOf":[` + list(n, func(i int) string { return `{"$ref":"#/$defs/d"}` }) + `],"$defs":{"d":{"description":"` + strings.Repeat("x", 50*n) + `","properties":{"p":{}}}}}`)
	},
	"choices of a schema": func(d Words, n int) []byte {
		return d.schema(`{"anyOf":[` + list(n, func(i int) string {
			return fmt.Sprintf(`{"properties":{"p%d":{"type":"string"},"q":{"const":%d}},"required":["q","p%d"]}`, i, i, i)
		}) + `]}`)
	},
}
