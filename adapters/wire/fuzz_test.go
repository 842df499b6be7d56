package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The laws for every splitter, whatever comes in: feed's own (progress, no
// write to the input, everything consumed), and that the records do not depend
// on where the stream is cut. They hold under a small limit too.
func fuzzSplit(f *testing.F, framing Framing, law func(t *testing.T, in []byte, got []string), seeds ...string) {
	for i, s := range seeds {
		f.Add([]byte(s), uint64(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		if len(in) > 4<<10 {
			return
		}
		for _, limit := range []int{16, DefaultMaxRecord} {
			s := NewSplitter(framing, limit)
			want := feed(t, s, in)
			for _, cuts := range [][]int{{eofToo}, everyByte(len(in)), randomCuts(len(in), seed)} {
				s.Reset()
				if got := feed(t, s, in, cuts...); !slices.Equal(got, want) {
					t.Fatalf("%v with limit %d: %q\n whole %q\ncut at %v %q", framing, limit, in, want, cuts, got)
				}
			}
			if law != nil && limit == DefaultMaxRecord {
				law(t, in, want)
			}
		}
	})
}

// randomCuts returns ascending places to cut n bytes at.
func randomCuts(n int, seed uint64) (cuts []int) {
	r := rand.New(rand.NewPCG(seed, 1))
	for pos := 0; pos < n; pos += 1 + r.IntN(7) {
		cuts = append(cuts, pos)
	}
	return cuts
}

func FuzzSSE(f *testing.F) {
	law := func(t *testing.T, in []byte, _ []string) {
		in = append(slices.Clone(in), "\n\n"...) // so that every event has its end
		got := feed(t, NewSplitter(SSE, 0), in)
		if want := readEvents(string(in)); !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
	fuzzSplit(f, SSE, law,
		"data: a\n\ndata: b\r\n\r\ndata: c\r\r", "event: x\nid: 1\ndata: {\r\ndata: }\r\n\r\n: c\n\nretry: 1",
		"\xef\xbb\xbf\ndata\n\ndata", "id: a\x00\r\rid\n\nevent\n\n", "data: {\"a\":1", "data: 0123456789\n\n:\n:::::::::::::::::\n")
}

// readEvents reads a stream whose events all end in a blank line, in the most
// direct way.
func readEvents(in string) (events []string) {
	in = strings.TrimPrefix(in, bom)
	in = strings.ReplaceAll(in, "\r\n", "\n")
	in = strings.ReplaceAll(in, "\r", "\n")
	var rec Record
	for line := range strings.SplitSeq(strings.TrimSuffix(in, "\n"), "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if rec.Data != nil || rec.ID != nil || rec.Event != nil {
				events = append(events, show(rec))
			}
			rec = Record{}
		case name == "data" && rec.Data == nil:
			rec.Data = []byte(value)
		case name == "data":
			rec.Data = append(rec.Data, "\n"+value...)
		case name == "event" && value == "":
			rec.Event = nil
		case name == "event":
			rec.Event = []byte(value)
		case name == "id" && !strings.Contains(value, "\x00"):
			rec.ID = []byte(value)
		}
	}
	return events
}

func FuzzNDJSON(f *testing.F) {
	law := func(t *testing.T, in []byte, _ []string) {
		in = append(slices.Clone(in), '\n')
		var want []string
		for line := range strings.SplitSeq(strings.TrimPrefix(string(in), bom), "\n") {
			if strings.Trim(line, " \t\r\n\x1e") != "" {
				want = append(want, "<"+strings.TrimSuffix(line, "\r")+">")
			}
		}
		if got := feed(t, NewSplitter(NDJSON, 0), in); !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
	fuzzSplit(f, NDJSON, law, "{}\n\r\n[1]\r\n\"x\"", "\xef\xbb\xbf{}\n", "{\"a\":1", "0123456789abcdef\n", " \r\n\t\n\r")
}

func FuzzConcat(f *testing.F) {
	law := func(t *testing.T, in []byte, got []string) {
		want, ok := readValues(in)
		if ok && !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
	fuzzSplit(f, Concat, law,
		`{"a":[1,"}\""]}{} [ ]`, "1 2\ntrue\"x\"null{\n}", "{\"a\":\"\n{}", "junk {} more\n]{}", `{"a":"\\`,
		"\x1e{}\n\x1e", "\xef\xbb\xbf12", `"0123456789\"abcdefghij\\"`, "truefalse,1")
}

// readValues reads in with the standard library; ok is false if that fails or
// goes by rules other than ours: it takes no delimiter between 1 and -1.
func readValues(in []byte) (values []string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(in))
	for {
		var v json.RawMessage
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return values, true
		} else if err != nil {
			return nil, false
		}
		at := dec.InputOffset()
		values = append(values, "<"+string(v)+">")
		if last := v[len(v)-1]; last != '}' && last != ']' && last != '"' && at < int64(len(in)) && class[in[at]]&delimiter == 0 {
			return nil, false
		}
	}
}

func FuzzLengthPrefix(f *testing.F) {
	fuzzSplit(f, LengthPrefix, nil, "\x00\x00\x00\x02{}\x00\x00\x00\x00\x00\x00\x00\x01x", "{\"a\"", "\x00\x00\x00\x11", "\x00")
}

func FuzzContentLength(f *testing.F) {
	fuzzSplit(f, ContentLength, nil, "Content-Length: 2\r\n\r\n{}\r\nX: y\ncontent-length:1\n\n1", "Content-Length: 0\r\n\r\n", "\n\n\n", "X\n")
}

func FuzzAmazonEventStream(f *testing.F) {
	fuzzSplit(f, AmazonEventStream, nil, amazonMessages("{}", "[1]"), amazonMessages("0123456789abcdef0"), amazonMessages("{}")+"\x00", "text text text", amazonOtherHeaders)
}

func FuzzAuto(f *testing.F) {
	fuzzSplit(f, Auto, nil, "\ndata: {}\n\n", "{} \n{}", "{}{}", "{}\r", "[x] y\n", "\x00\x00\x00\x02{}", "Content-Length: 2\r\n\r\n{}",
		"\xef\xbb\xbfid", "\x1e{}", "retry\r\n", "{\"a\":\"\n{}\n", "text\n", amazonMessages("{}"))
}

// Whatever record goes out comes back, apart from what the framing cannot hold.
func FuzzOut(f *testing.F) {
	f.Add("e", "1", []byte("{\"a\":1}"), []byte("a\r\nb"))
	f.Add("", "", []byte(""), []byte("12"))
	f.Add("\n", "\x00", []byte("\"x\""), []byte("[1,\n2]"))
	f.Fuzz(func(t *testing.T, event, id string, data, more []byte) {
		recs := []Record{
			{Data: []byte("{}")}, // a byte order mark in data must not open the stream
			{Event: []byte(event), ID: []byte(id), Data: data},
			{Data: more},
			{Data: []byte("[]")},
		}
		for framing := SSE; framing <= AmazonEventStream; framing++ {
			o := NewOut(framing)
			var want []string
			for _, rec := range recs {
				if framing == Concat && !json.Valid(rec.Data) {
					continue // its end is unknown
				}
				o.Record(rec)
				if back := afterTrip(framing, rec); back.Data != nil {
					want = append(want, show(back))
				}
				o.KeepAlive(3)
			}
			if got := readBack(t, framing, o.Buf); !slices.Equal(got, want) {
				t.Fatalf("%v: %q\n got %q\nwant %q", framing, o.Buf, got, want)
			}
		}
	})
}

// readBack reads what an Out wrote.
func readBack(t *testing.T, framing Framing, buf []byte) (got []string) {
	if framing != WebSocket {
		return feed(t, NewSplitter(framing, 0), buf)
	}
	for _, fr := range readFrames(t, buf) {
		if fr.opcode == 1 {
			got = append(got, "<"+fr.payload+">")
		}
	}
	return got
}

// afterTrip returns rec as a reader of the framing sees it.
func afterTrip(framing Framing, rec Record) Record {
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	spaces := strings.NewReplacer("\r", " ", "\n", " ")
	data := []byte(spaces.Replace(string(rec.Data)))
	switch framing {
	case SSE:
		back := Record{Data: append([]byte{}, lines.Replace(string(rec.Data))...)}
		if len(rec.Event) > 0 {
			back.Event = []byte(spaces.Replace(string(rec.Event)))
		}
		if rec.ID != nil && bytes.IndexByte(rec.ID, 0) < 0 {
			back.ID = []byte(spaces.Replace(string(rec.ID)))
		}
		if rec.Data == nil {
			back.Data = nil
		}
		return back
	case NDJSON:
		if skipSpace(data) == len(data) {
			return Record{}
		}
		return Record{Data: data}
	case Concat:
		return Record{Data: bytes.Trim(data, " \t")}
	case WebSocket:
		return Record{Data: rec.Data}
	case AmazonEventStream:
		if rec.Data == nil || len(rec.Event) == 0 {
			return Record{Data: rec.Data}
		}
		return Record{Event: rec.Event[:min(len(rec.Event), maxAmazonName)], Data: rec.Data}
	}
	if len(rec.Data) == 0 {
		return Record{}
	}
	return Record{Data: rec.Data}
}
