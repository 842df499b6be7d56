package langgraph_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/langgraph"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestRepeats: of pieces that differ in their texts alone the first is parsed, and what comes later finds that all of them
// were received. Pieces that count tokens, and those of a call that is new, are parsed each.
func TestRepeats(t *testing.T) {
	f := func(name string, parsed int, records ...[2]string) {
		t.Helper()
		var all []wire.Record
		for _, r := range records {
			all = append(all, wire.Record{Event: []byte(r[0]), Data: []byte(r[1])})
		}
		d := &langgraph.Dialect
		adaptertest.Repeats(t, d, d.Defaults(), name, parsed, all...)
	}
	piece := func(members string) [2]string {
		return [2]string{"messages", `[{"id":"m","type":"ai",` + members + `},{"langgraph_node":"agent"}]`}
	}
	emitted := func(text string) [2]string { return piece(`"content":"` + text + `"`) }
	whole := func(id, text string) [2]string {
		return [2]string{"updates", `{"agent":{"messages":[{"id":"` + id + `","type":"ai","content":"` + text + `"}]}}`}
	}
	f("whole", 2, emitted("a"), emitted("b"), emitted("c"), whole("m", "abc"))
	f("whole, and longer", 2, emitted("a"), emitted("b"), emitted("c"), whole("m", "abcd"))
	f("whole, with another id", 2, emitted("a"), emitted("b"), emitted("c"), whole("n", "abc"))
	usage := func(text string) [2]string {
		return piece(`"content":"` + text + `","usage_metadata":{"input_tokens":1,"output_tokens":2,"total_tokens":3}`)
	}
	f("usage", 3, usage("a"), usage("b"), usage("c"))
	args := func(head, text string) [2]string {
		return piece(`"content":"","tool_call_chunks":[{` + head + `"index":0,"args":"` + text + `"}]`)
	}
	f("arguments", 2, args(`"id":"c","name":"f",`, "{"), args("", "}"), args("", "."))
	other := func(text string) [2]string {
		return [2]string{"messages", `[{"id":"n","type":"ai","content":"` + text + `"},{"langgraph_node":"agent"}]`}
	}
	f("messages by turns", 4, emitted("a"), other("b"), emitted("c"), other("d"), emitted("e"), whole("m", "ace"), whole("n", "bd"))
	second := func(head, text string) [2]string {
		return piece(`"content":"","tool_call_chunks":[{` + head + `"index":1,"args":"` + text + `"}]`)
	}
	f("arguments by turns", 4, args(`"id":"c","name":"f",`, "{"), second(`"id":"d","name":"g",`, "["), args("", "1"), second("", "2"), args("", "}"), second("", "]"))
	f("of a call without a name", 2, args("", "{"), args("", "}"), args("", "."))
	output := func(text string) [2]string {
		return [2]string{"tools", `{"event":"on_tool_event","toolCallId":"c","data":"` + text + `"}`}
	}
	f("output", 1, output("a"), output("b"), output("c"))
	f("a user's", 3, [][2]string{{"messages", `[{"id":"u","type":"HumanMessageChunk","content":"a"},{}]`},
		{"messages", `[{"id":"u","type":"HumanMessageChunk","content":"b"},{}]`}, {"messages", `[{"id":"u","type":"HumanMessageChunk","content":"c"},{}]`}}...)
	blocks := func(text string) [2]string {
		return piece(`"content":[{"type":"text","text":"` + text + `","index":0}]`)
	}
	f("blocks", 2, blocks("a"), blocks("b"), whole("m", "ab"))
}

// TestTail: a tuple that ends as the one before is read as it is without that.
func TestTail(t *testing.T) {
	d := &langgraph.Dialect
	const meta = `,{"langgraph_node":"agent","langgraph_step":1,"tags":["x"]}]`
	const piece = `[{"id":"m","type":"ai","content":"a"}`
	f := func(o hub.Options, data string) {
		t.Helper()
		for _, before := range []string{piece + meta, piece + `,{"langgraph_node":"agent","langgraph_step":1,"tags":["nostream"]}]`} {
			other, same := d.NewDecoder(o), d.NewDecoder(o)
			for _, dec := range []hub.Decoder{other, same} {
				if _, err := dec.Decode(nil, wire.Record{Event: []byte("messages"), Data: []byte(before)}); err != nil {
					t.Fatal(err)
				}
			}
			want, wantErr := other.Decode(nil, wire.Record{Event: []byte("messages"), Data: []byte(" " + data)})
			got, gotErr := same.Decode(nil, wire.Record{Event: []byte("messages"), Data: []byte(data)})
			if w, g := adaptertest.Lines(want), adaptertest.Lines(got); w != g || (wantErr == nil) != (gotErr == nil) {
				t.Errorf("%s gives %s (%v), want %s (%v)", data, g, gotErr, w, wantErr)
			}
		}
	}
	usual, shallow := d.Defaults(), d.Defaults()
	shallow.Nesting = 4
	f(usual, piece+meta)
	f(usual, `[{"id":"m","type":"ai","content":[{"type":"text","text":"b"}]}`+meta)
	f(shallow, `[{"id":"m","type":"ai","content":[{"type":"text","text":"b"}]}`+meta)
	f(shallow, `[{"id":"m","type":"ai","content":[{"type":"text","text":"b","x":[]}]}`+meta)
	for _, odd := range []string{
		`[`, `[{}`, `[null`, `["m"`, `[[]`, `[{"id":"m"},{"id":"n"}`, `[{"id":"m","x":[1`, `[ {"id":"m","type":"ai","content":"b"} `,
		"[{\"id\":\"\xff\"}", `{"id":"m"}`, ``, `[{"id":"m","type":"ai","content":"b"}]`,
	} {
		f(usual, odd+meta)
	}
	f(usual, piece+`,{"langgraph_node":"agent"},1]`)
	f(usual, piece+`]`)
	f(usual, `]`)
}
