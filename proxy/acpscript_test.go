package proxy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// scriptedACP is an agent that speaks as the Agent Client Protocol has it, and cannot go on with a session of another process. It acts on
// the last words of a prompt, and on files in its directory.
type scriptedACP struct {
	in      *bufio.Reader
	session string
	turns   int
}

// acpCall is what comes from the client.
type acpCall struct {
	ID     json.RawMessage
	Method string
	Params struct{ Prompt []struct{ Text string } }
}

func runACPAgent() {
	s := &scriptedACP{in: bufio.NewReader(os.Stdin), session: fmt.Sprintf("s%d", os.Getpid())}
	for call := s.read(); call != nil; call = s.read() {
		switch call.Method {
		case "initialize":
			s.respond(call, `{"protocolVersion":1,"agentCapabilities":{}}`)
		case "session/new":
			if exists("refuse") {
				s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"out of order"}}`, call.ID)
				continue
			}
			s.respond(call, fmt.Sprintf(`{"sessionId":%q}`, s.session))
		case "session/prompt":
			var said []string
			for _, block := range call.Params.Prompt {
				said = append(said, block.Text)
			}
			s.turns++
			s.turn(call, strings.Join(said, "|"))
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// read returns the next message, nil at the end.
func (s *scriptedACP) read() *acpCall {
	line, err := s.in.ReadBytes('\n')
	call := new(acpCall)
	if err != nil || json.Unmarshal(line, call) != nil {
		return nil
	}
	return call
}

func (s *scriptedACP) line(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

func (s *scriptedACP) respond(to *acpCall, result string) {
	s.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, to.ID, result)
}

const (
	acpSays     = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":%s}}}}`
	acpAsks     = `{"jsonrpc":"2.0","id":"ask","method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"c1","title":"rm x"},"options":[{"optionId":"ok","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Deny","kind":"reject_once"}]}}`
	acpWithdraw = `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"ask"}}`
)

func (s *scriptedACP) say(text string) {
	quoted, _ := json.Marshal(text)
	s.line(acpSays, s.session, s.turns, quoted)
}

// waitFor waits for a file, and stops at the end of a test that has failed.
func (s *scriptedACP) waitFor(name string) {
	for until := time.Now().Add(testTimeout); !exists(name) && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
}

func (s *scriptedACP) turn(call *acpCall, said string) {
	switch {
	case strings.HasSuffix(said, "withdraw at once"):
		s.line(acpAsks+"\n"+acpWithdraw, s.session)
	case strings.HasSuffix(said, "withdraw"): // the question, when it is time
		s.line(acpAsks, s.session)
		s.waitFor("time")
		s.line(acpWithdraw)
		s.say("Never mind.")
	case strings.HasSuffix(said, "flood"): // though it waits for an answer
		s.line(acpAsks, s.session)
		for range 1000 {
			s.say(strings.Repeat("f", 1000))
		}
		_ = os.WriteFile("flooded", nil, 0o600)
		s.read()
	case strings.HasSuffix(said, "aside"): // a question, and more behind it
		s.line(acpAsks, s.session)
		time.Sleep(200 * time.Millisecond) // else it is said to the client that is asked
		s.say("By the way.")
		_ = os.WriteFile("aside", nil, 0o600)
		s.read()
	case strings.HasSuffix(said, "gate"):
		s.say("waiting")
		s.waitFor("time")
	case strings.HasSuffix(said, "stubborn"): // it hears nothing but the end of its input
		s.say("waiting")
		for s.read() != nil {
			_ = os.WriteFile("asked", nil, 0o600)
		}
		return
	}
	s.say(fmt.Sprintf("Turn %d: you said %s", s.turns, said))
	s.respond(call, `{"stopReason":"end_turn"}`)
	_ = os.WriteFile("said", nil, 0o600)
}

// acpAgentConfig is a route to such an agent; see [agentConfig].
func acpAgentConfig(t *testing.T, client, dir, more, route string) string {
	yaml := agentConfig(t, client, dir, more, route)
	return strings.NewReplacer("dialect: claude-cli", "dialect: acp", scriptedAgent+`: "1"`, scriptedAgent+": acp").Replace(yaml)
}

// mark writes a file that a scripted agent waits for.
func mark(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(dir+"/"+name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
