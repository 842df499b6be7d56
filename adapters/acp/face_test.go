package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestFace: what an editor says around turns is answered, and what it wants is said.
func TestFace(t *testing.T) {
	f := newFace(hub.FaceConfig{})
	say := func(message, answer string, kind hub.ClientMessageKind) hub.ClientMessage {
		t.Helper()
		got, m := f.Receive(nil, []byte(message))
		if m.Kind != kind || !strings.Contains(string(got), answer) || answer == "" && len(got) > 0 {
			t.Errorf("%s: kind %d, answer %s", message, m.Kind, got)
		}
		return m
	}
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}`, `"id":0,"result":{"protocolVersion":1`, hub.ClientSettled)
	say(`{"jsonrpc":"2.0","id":"a","method":"authenticate","params":{"methodId":"x"}}`, `"id":"a","result":{}`, hub.ClientSettled)
	m := say(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`, "", hub.ClientBegins)
	if got := string(f.Began(nil, &m, &hub.Thread{ID: "s1"})); got != `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`+"\n" {
		t.Errorf("begun: %s", got)
	}
	if m := say(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}`, "", hub.ClientTurn); string(m.Thread) != "s1" {
		t.Errorf("a turn of %q", m.Thread)
	}
	if m := say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`, "", hub.ClientCancels); string(m.Thread) != "s1" {
		t.Errorf("cancelled is %q", m.Thread)
	}
	say(`{"jsonrpc":"2.0","id":3,"method":"session/load","params":{}}`, "-32601", hub.ClientSettled)
	say(`{"jsonrpc":"2.0","method":"session/whatever"}`, "", hub.ClientSettled)
	say(`{"jsonrpc":"2.0","method":"session/prompt","params":{"sessionId":"s1"}}`, "", hub.ClientSettled) // without an id there is no one to answer
	say(`{`, `"id":null,"error":{"code":-32700`, hub.ClientSettled)
}

// TestFaceReturns: a session of an earlier connection is replayed, or continued, where that is possible.
func TestFaceReturns(t *testing.T) {
	load := []byte(`{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s\"1","cwd":"/","mcpServers":[]}}`)
	resume := bytes.Replace(load, []byte("session/load"), []byte("session/resume"), 1)
	thread := &hub.Thread{ID: `s"1`, Messages: []hub.Message{
		{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("Hi")}}},
		{Role: hub.RoleAgent, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("Hello")}}},
	}}
	f := newFace(hub.FaceConfig{Load: true, Resume: true})
	out, m := f.Receive(nil, load)
	if len(out) > 0 || m.Kind != hub.ClientReturns || !m.Replay || string(m.Thread) != `s\"1` {
		t.Errorf("load: %s %+v", out, m)
	}
	const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s\"1","update":{"sessionUpdate":"`
	lines := strings.Split(string(f.Began(nil, &m, thread)), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], update+"user_message_chunk") || !strings.HasPrefix(lines[1], update+"agent_message_chunk") ||
		lines[2] != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("replayed: %s", lines)
	}
	if got := string(f.Began(nil, &m, nil)); !strings.Contains(got, `"id":1,"error":{"code":-32002`) {
		t.Errorf("unknown: %s", got)
	}
	_, m = f.Receive(nil, resume)
	if got := string(f.Began(nil, &m, thread)); m.Kind != hub.ClientReturns || got != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
		t.Errorf("resumed: %s", got)
	}
	f = newFace(hub.FaceConfig{})
	for _, message := range [][]byte{load, resume} {
		if out, m := f.Receive(nil, message); m.Kind != hub.ClientSettled || !bytes.Contains(out, []byte("-32601")) {
			t.Errorf("%s: %s", message, out)
		}
	}
}

// TestFaceAnswers: an answer means what the option that it names was offered as. An answer without a question is ignored.
func TestFaceAnswers(t *testing.T) {
	f := newFace(hub.FaceConfig{})
	options := `"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"allow nothing","kind":"reject_once"}]`
	ask := func(id string) {
		f.Sent([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{}}` + "\n" +
			`{"jsonrpc":"2.0","id":"` + id + `","method":"session/request_permission","params":{"sessionId":"s",` + options + "}}\n"))
	}
	answer := func(id, result string, kind hub.ClientMessageKind) hub.Decision {
		t.Helper()
		out, m := f.Receive(nil, []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,%s}`, id, result)))
		if m.Kind != kind || len(out) > 0 {
			t.Errorf("%s: kind %d, answer %s", result, m.Kind, out)
		}
		return m.Answer
	}
	selected := func(option string) string {
		return `"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}`
	}
	for option, approved := range map[string]bool{"y": true, "n": false, "made up": false} {
		ask("q1")
		if d := answer("q1", selected(option), hub.ClientAnswers); !d.Decided || d.Approved != approved || d.Cancelled || string(d.Ask) != "q1" {
			t.Errorf("%s: %+v", option, d)
		}
		answer("q1", selected("y"), hub.ClientSettled) // again
	}
	for _, result := range []string{`"result":{"outcome":{"outcome":"cancelled"}}`, `"error":{"code":-32603,"message":"x"}`} {
		ask("q2")
		if d := answer("q2", result, hub.ClientAnswers); !d.Decided || d.Approved || !d.Cancelled {
			t.Errorf("%s: %+v", result, d)
		}
	}
	answer("never asked", selected("y"), hub.ClientSettled)

	form := func() {
		f.Sent([]byte(`{"jsonrpc":"2.0","id":"q3","method":"elicitation/create","params":{"sessionId":"s","mode":"form"}}` + "\n"))
	}
	form()
	if d := answer("q3", `"result":{"action":"accept","content":{"city":"Oslo"}}`, hub.ClientAnswers); string(d.Payload) != `{"city":"Oslo"}` || d.Decided {
		t.Errorf("a form: %+v", d)
	}
	form()
	if d := answer("q3", `"result":{"action":"decline"}`, hub.ClientAnswers); !d.Cancelled {
		t.Errorf("a form that was declined: %+v", d)
	}
}

// TestFaceAsksForLong: however many questions of a connection have no answer, as the agent has taken them back or the client passes them over,
// the next one can be answered, and one that was taken back cannot.
func TestFaceAsksForLong(t *testing.T) {
	const many = 200
	for _, withdrawn := range []bool{false, true} {
		f := newFace(hub.FaceConfig{})
		kind := func(n int) hub.ClientMessageKind {
			_, m := f.Receive(nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"q%d","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`, n))
			return m.Kind
		}
		for n := range many {
			f.Sent(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"q%d","method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"y","kind":"allow_once"}]}}`+"\n", n))
			if withdrawn && n < many-1 {
				f.Sent(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q%d"}}`+"\n", n))
			}
		}
		if kind(0) != hub.ClientSettled || withdrawn != (kind(many-2) == hub.ClientSettled) || kind(many-1) != hub.ClientAnswers {
			t.Errorf("taken back %t: the answers mean something else", withdrawn)
		}
	}
}

// FuzzFace: whatever a client says, and whatever was asked, the answers are lines of JSON.
func FuzzFace(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`), []byte(`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"options":[{"optionId":"a","kind":"allow_once"}]}}`))
	f.Add([]byte(`{"id":"q","result":{"outcome":{"outcome":"selected","optionId":"a"}}}`), []byte(`{"id":{},"method":"elicitation/create"}`))
	f.Add([]byte(`{"id":[1],"method":"x"}`), []byte("\n\n"))
	f.Add([]byte(`{"id":1,"method":"session/load","params":{"sessionId":"s"}}`), []byte(""))
	f.Fuzz(func(t *testing.T, message, sent []byte) {
		face := newFace(hub.FaceConfig{Load: true, Resume: true})
		face.Sent(sent)
		out, m := face.Receive(nil, message)
		if m.Kind == hub.ClientBegins || m.Kind == hub.ClientReturns {
			out = face.Began(out, &m, &hub.Thread{ID: "s"})
		}
		for line := range bytes.Lines(out) {
			if !json.Valid(line) || bytes.ContainsAny(line[:len(line)-1], "\r\n") {
				t.Fatalf("%q was answered with %q", message, line)
			}
		}
	})
}
