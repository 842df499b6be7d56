package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// floodKind is how a streaming agent of the benchmarks speaks: so many deltas in a turn, as fast as it can or one by one, on its pipes or at a
// port that it prints.
type floodKind struct {
	events int
	gap    time.Duration // between two deltas; 0: they go in pieces of about 4 KiB
	http   bool
}

var floods = map[string]floodKind{
	"flood": {events: 20000}, "flood-http": {events: 20000, http: true},
	"paced": {events: 2000, gap: 200 * time.Microsecond}, "paced-http": {events: 2000, gap: 200 * time.Microsecond, http: true},
}

// runFloodAgent speaks as Claude Code does, with many deltas for each turn.
func runFloodAgent(kind floodKind) {
	if !kind.http {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			if strings.Contains(in.Text(), `"user"`) {
				kind.writeTurn(os.Stdout)
			}
		}
		return
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, "http://"+ln.Addr().String()+"/")
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); _ = ln.Close() }()               // with who has started it
	_ = http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { //nolint:gosec // on the loopback, in a test
		w.Header().Set("Content-Type", "application/x-ndjson")
		kind.writeTurn(w)
	}))
}

// writeTurn writes one turn.
func (k floodKind) writeTurn(w io.Writer) {
	const about = `,"session_id":"11111111-2222-4333-8444-000000000001","parent_tool_use_id":null}` + "\n"
	out := bufio.NewWriter(w)
	event := func(event string) { fmt.Fprint(out, `{"type":"stream_event","event":`, event, about) }
	fmt.Fprint(out, `{"type":"system","subtype":"init","model":"m","tools":[]`+about)
	event(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{}}}`)
	event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	for range k.events {
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words "}}`)
		if k.gap > 0 {
			_ = out.Flush()
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
			time.Sleep(k.gap)
		}
	}
	event(`{"type":"content_block_stop","index":0}`)
	event(`{"type":"message_stop"}`)
	fmt.Fprint(out, `{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1`+about)
	_ = out.Flush()
}
