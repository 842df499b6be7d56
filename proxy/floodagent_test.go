package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// floodEvents is how many deltas a streaming agent of the benchmarks says in a turn.
const floodEvents = 20000

// runFloodAgent speaks as Claude Code does, with many deltas for each turn: on its pipes, or at a port that it prints.
func runFloodAgent(byHTTP bool) {
	if !byHTTP {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			if strings.Contains(in.Text(), `"user"`) {
				writeTurn(os.Stdout)
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
		writeTurn(w)
	}))
}

// writeTurn writes one turn, in pieces of about 4 KiB.
func writeTurn(w io.Writer) {
	const about = `,"session_id":"11111111-2222-4333-8444-000000000001","parent_tool_use_id":null}` + "\n"
	out := bufio.NewWriter(w)
	event := func(event string) { fmt.Fprint(out, `{"type":"stream_event","event":`, event, about) }
	fmt.Fprint(out, `{"type":"system","subtype":"init","model":"m","tools":[]`+about)
	event(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{}}}`)
	event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	for range floodEvents {
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words "}}`)
	}
	event(`{"type":"content_block_stop","index":0}`)
	event(`{"type":"message_stop"}`)
	fmt.Fprint(out, `{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1`+about)
	_ = out.Flush()
}
