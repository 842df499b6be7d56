package fastpath_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestFramed splits off only records that are not like one before, framed as that was, and reads the same of all.
func TestFramed(t *testing.T) {
	f := func(name string, as wire.Framing, found int, pieces ...string) {
		t.Helper()
		stream := []byte(strings.Join(pieces, ""))
		want, _ := readFramed(t, as, stream, native.Dialect.NewDecoder(hub.Options{}))
		got, n := readFramed(t, as, stream, fastpath.NewTemplateDecoder(native.Dialect.NewDecoder(hub.Options{}), dialect("x")))
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if n != found {
			t.Errorf("%s: %d records were not split off, want %d", name, n, found)
		}
	}
	delta := func(text string) string { return `{"kind":"text.delta","id":"p","text":"` + text + `","x":{"a":1}}` }
	event := func(text string) string { return "data: " + delta(text) + "\n\n" }
	long := strings.Repeat("l", 600)
	f("events", wire.SSE, 2, event("a"), event("b"), event("c"))
	f("lines", wire.NDJSON, 2, delta("a")+"\n", delta("b")+"\n", delta("c")+"\n")
	f("lines with CRLF", wire.NDJSON, 1, delta("a")+"\r\n", delta("b")+"\r\n", delta("c")+"\n")
	f("values back to back", wire.Concat, 0, delta("a")+"\n", delta("b")+"\n", delta("c"))
	f("ids and names", wire.SSE, 2, "id: 1\nevent: m\n"+event("a"), "id: 22\nevent: m\n"+event("b"), "id: \nevent: m\n"+event("c"), "id: 4\nevent: n\n"+event("d"))
	f("the name before the id", wire.SSE, 1, "event: m\nid: 1\n"+event("a"), "event: m\nid: x-2\n"+event("b"))
	f("an empty id", wire.SSE, 1, "id:\n"+event("a"), "id:\n"+event("b"))
	f("an id behind the data", wire.SSE, 0, "data: "+delta("a")+"\nid: 1\n\n", "data: "+delta("b")+"\nid: 1\n\n")
	f("a comment between", wire.SSE, 1, event("a"), ": ping\n\n", event("b"))
	f("line ends that change", wire.SSE, 2, event("a"), strings.ReplaceAll(event("b"), "\n", "\r\n"), strings.ReplaceAll(event("c"), "\n", "\r\n"), event("d"), event("e"))
	f("CR alone", wire.SSE, 0, strings.ReplaceAll(event("a"), "\n", "\r"), strings.ReplaceAll(event("b"), "\n", "\r"))
	f("a second line of data", wire.SSE, 0, event("a"), strings.Replace(event("b"), "\n\n", "\ndata: x\n\n", 1), event("c"))
	f("a value of two lines", wire.SSE, 0, event("a"), strings.Replace(event("b"), `{"a":1}`, "{\"b\":\n2}", 1), event("c"))
	f("a value of two lines in a line", wire.NDJSON, 0, delta("a")+"\n", strings.Replace(delta("b"), `{"a":1}`, "{\"b\":\n2}", 1)+"\n", delta("c")+"\n")
	f("a long head", wire.SSE, 0, "event: "+long+"\n"+event("a"), "event: "+long+"\n"+event("b"))
	f("an end without a blank line", wire.SSE, 1, event("a"), event("b"), "data: "+delta("c"))
}

// readFramed reads a stream, and counts the records that need not be split off.
func readFramed(t *testing.T, as wire.Framing, stream []byte, dec hub.Decoder) (lines string, found int) {
	t.Helper()
	framed, _ := dec.(fastpath.FramedDecoder)
	split := wire.NewSplitter(as, 0)
	for len(stream) > 0 {
		if framed != nil {
			if evs, n := framed.DecodeFramed(nil, stream); n > 0 {
				lines, stream, found = lines+adaptertest.Lines(evs), stream[n:], found+1
				continue
			}
		}
		rec, n, _ := split.Split(stream, true)
		if n == 0 {
			t.Fatalf("the splitter stops before %q", stream)
		}
		if rec.Data != nil {
			evs, err := dec.Decode(nil, rec)
			if lines += adaptertest.Lines(evs); err != nil {
				lines += err.Error()
			}
			if framed != nil {
				framed.LearnFraming(rec, stream[:n])
			}
		}
		stream = stream[n:]
	}
	return lines, found
}
