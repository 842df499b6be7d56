package wire

import (
	"strings"
	"testing"
)

func TestAuto(t *testing.T) {
	s := NewSplitter(Auto, 1000)
	f := func(found Framing, in string, want ...string) {
		t.Helper()
		checkSplit(t, s, in, want...)
		if got := s.(Detector).Framing(); got != found {
			t.Errorf("%q was taken for %v, want %v", in, got, found)
		}
	}

	f(SSE, "data: {}\n\n", "<{}>")
	f(SSE, "data:{}\r\r", "<{}>")
	f(SSE, "data\n\ndata: a\n\n", "<>", "<a>")
	f(SSE, "\ndata: a\n\n", "<a>") // some servers open with an empty line
	f(SSE, "\xef\xbb\xbf\r\n  data: a\n\n", "<a>")
	f(SSE, ": hello\n\ndata: a\n\n", "<a>")
	f(SSE, ":")
	f(SSE, "event: x\ndata: a\n\n", "event=x <a>")
	f(SSE, "id: 1\r\ndata: a\n\n", "id=1 <a>")
	f(SSE, "id\rdata: a\n\n", "id= <a>")
	f(SSE, "retry: 1\n\n")
	f(SSE, "data", "!cut")

	f(NDJSON, "{\"a\":1}\n{\"b\":2}\n", `<{"a":1}>`, `<{"b":2}>`)
	f(NDJSON, "{\"a\":1}\r\n{\"b\":2}", `<{"a":1}>`, `<{"b":2}>`)
	f(NDJSON, "\xef\xbb\xbf\n{}\t \n[]\n\"x\"\n", "<{}>", "<[]>", `<"x">`)
	f(NDJSON, "{}\nbad }{ line\n{}\n", "<{}>", "<bad }{ line>", "<{}>")
	f(NDJSON, "{\"a\":\"cut\n{}\n", `<{"a":"cut>`, "<{}>")
	f(NDJSON, "[INFO] starting\n{}\n", "<[INFO]>", "<starting>", "<{}>")
	f(NDJSON, "0:\"Hi\"\nd:{}\n", `<0:"Hi">`, "<d:{}>")
	f(NDJSON, "f:{}\n", "<f:{}>")
	f(NDJSON, "<!doctype html>\n<html>\n", "<<!doctype html>>", "<<html>>")
	f(NDJSON, "upstream error", "<upstream error>")
	f(NDJSON, "datax\n", "<datax>")
	f(NDJSON, "dat", "<dat>")
	f(NDJSON, "e:{}\n", "<e:{}>")
	f(NDJSON, "contents\n", "<contents>")
	f(NDJSON, "content-len", "<content-len>")
	f(NDJSON, "1\n2\n", "<1>", "<2>")
	f(NDJSON, "true\n", "<true>")
	f(NDJSON, "\x00\x00\x00\x05hello\n", "<\x00\x00\x00\x05hello>")
	f(NDJSON, "\x00\x00\x04\x00{}\n", "<\x00\x00\x04\x00{}>") // over the limit of 1000
	f(NDJSON, "\xef\xbb", "<\xef\xbb>")                       // half a byte order mark
	f(NDJSON, "\x00\x00", "<\x00\x00>")

	f(Concat, `{"a":1}{"b":2}`, `<{"a":1}>`, `<{"b":2}>`)
	f(Concat, `{} {}`+"\n{}{}", "<{}>", "<{}>", "<{}>", "<{}>")
	f(Concat, "{\n  \"a\": 1\n}\n{\n}\n", "<{\n  \"a\": 1\n}>", "<{\n}>")
	f(Concat, "{}\r{}", "<{}>", "<{}>")
	f(Concat, "[{},\n{}]", "<[{},\n{}]>")
	f(Concat, "{},{}", "<{}>", "<,>", "<{}>")
	f(Concat, "\x1e{}\n\x1e{}\n", "<{}>", "<{}>")
	f(Concat, "{}\x1e{}\n", "<{}>", "<{}>")

	f(LengthPrefix, "\x00\x00\x00\x02{}\x00\x00\x00\x02[]", "<{}>", "<[]>")
	f(AmazonEventStream, amazonMessages("{}", "[]"), "event=e <{}>", "event=e <[]>")
	f(NDJSON, "\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00{}\n", "<\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00{}>") // no checksum
	f(NDJSON, "\x00\x00\x00\x20\x00", "<\x00\x00\x00\x20\x00>")
	f(ContentLength, "Content-Length: 2\r\n\r\n{}", "<{}>")
	f(ContentLength, "content-type: x\r\ncontent-length: 2\r\n\r\n{}", "<{}>")

	// Undecided: nothing came, or one value and no more.
	f(Auto, "")
	f(Auto, "\xef\xbb\xbf \r\n")
	f(Auto, "{}", "<{}>")
	f(Auto, `{"a":`, "!cut")
}

// The sniffer may wait only for bytes that decide.
func TestAutoAtOnce(t *testing.T) {
	f := func(in string, want ...string) { t.Helper(); checkAtOnce(t, Auto, in, want...) }
	f("{}", "<{}>")
	f(`["a"]`, `<["a"]>`)
	f("{}\n{}\n", "<{}>", "<{}>")
	f("{}{}", "<{}>", "<{}>")
	f("\n\ndata: a\r\r", "<a>")
	f("\x00\x00\x00\x02{}", "<{}>")
	f("hello\n", "<hello>")

	decided := func(in string, want Framing) {
		t.Helper()
		f, ok := sniff([]byte(in), 100, false)
		if f != want || !ok {
			t.Errorf("%q: %v, decided %v; want %v", in, f, ok, want)
		}
	}
	decided(":", SSE)
	decided("data:", SSE)
	decided("id\n", SSE)
	decided("dax", NDJSON)
	decided("x", NDJSON)
	decided("c0", NDJSON)
	decided("content-length:", ContentLength)
	decided("Content-Type:", ContentLength)
	for _, in := range []string{"d", "data", "id", "retry", "e", "c", "Content-", "content-lengt", "\x00", "\x00\x00\x00\x02"} {
		if f, ok := sniff([]byte(in), 100, false); ok {
			t.Errorf("%q was taken for %v too early", in, f)
		}
	}
}

func TestAutoLimit(t *testing.T) {
	checkLimit(t, Auto, `{"a":"0123456789"}`, 18)
	checkLimit(t, Auto, "data: 0123456789\n\n", 18)
	checkSplit(t, NewSplitter(Auto, 8), "x"+strings.Repeat("y", 8), "!"+ReasonTooLarge)
}

func TestAutoNoRescan(t *testing.T) {
	checkNoRescan(t, Auto, `{"a":"`, "x", `"}`, `"}`)
	checkNoRescan(t, Auto, "data: ", "x", "\n", "\n\n")
	checkNoRescan(t, Auto, "text", "x", "\n", "\n")
}
