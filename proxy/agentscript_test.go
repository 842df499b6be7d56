package proxy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// scriptedAgent is the environment variable that makes the test binary an agent which speaks as Claude Code does on its pipes. It
// counts the turns of its session, and acts on words of the user's.
const scriptedAgent = "SABIR_SCRIPTED_AGENT"

// exitAtOnce is the environment of scripted agents: a program with the race detector sleeps for a second before it exits.
const exitAtOnce = "GORACE: atexit_sleep_ms=0"

type scripted struct {
	in      *bufio.Reader
	session string
	turns   int
	lingers bool
}

func runScriptedAgent() {
	s := &scripted{in: bufio.NewReader(os.Stdin), session: fmt.Sprintf("11111111-2222-4333-8444-%012d", os.Getpid())}
	for _, arg := range os.Args {
		if id, ok := strings.CutPrefix(arg, "--resume="); ok {
			s.session = id
			turns, _ := os.ReadFile("turns")
			s.turns = len(turns)
		}
	}
	for {
		text, ok := s.read("user")
		if !ok {
			s.leave()
			return
		}
		s.turn(text)
	}
}

// leave takes its time, if it is to.
func (s *scripted) leave() {
	if s.lingers {
		_ = os.WriteFile("leaving", nil, 0o600)
		time.Sleep(300 * time.Millisecond)
	}
}

// read returns the text of the next line of a type.
func (s *scripted) read(typ string) (text string, ok bool) {
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return "", false
		}
		var in struct {
			Type    string
			Message struct{ Content []struct{ Text string } }
			Request struct{ Subtype string }
		}
		if json.Unmarshal([]byte(line), &in) != nil {
			panic("not JSON") // Claude Code ends, too
		}
		if in.Request.Subtype == "interrupt" {
			return "interrupt", true
		}
		if in.Type != typ {
			continue
		}
		if typ != "user" {
			return line, true
		}
		var all []string
		for _, c := range in.Message.Content {
			all = append(all, c.Text)
		}
		return strings.Join(all, "|"), true
	}
}

func (s *scripted) line(format string, args ...any) {
	fmt.Fprintf(os.Stdout, strings.ReplaceAll(format, "$S", s.session)+"\n", args...)
}

func (s *scripted) say(text string) {
	quoted, _ := json.Marshal(text)
	s.line(`{"type":"assistant","message":{"id":"msg_%d","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%s}]},"session_id":"$S"}`, s.turns, quoted)
}

func (s *scripted) result() {
	s.line(`{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"$S","num_turns":1}`)
}

func (s *scripted) turn(text string) {
	if text == "interrupt" {
		return
	}
	s.turns++
	_ = os.WriteFile("turns", []byte(strings.Repeat("x", s.turns)), 0o600)
	s.line(`{"type":"system","subtype":"init","session_id":"$S","model":"m","tools":[]}`)
	if strings.Contains(text, "orphan") {
		s.startChild()
	}
	switch {
	case strings.HasSuffix(text, "die"):
		panic("die")
	case strings.HasSuffix(text, "delete"):
		s.line(`{"type":"assistant","message":{"id":"msg_c%d","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{"command":"rm x"}}]},"session_id":"$S"}`, s.turns, s.turns)
		s.line(`{"type":"control_request","request_id":"ask_%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm x"},"tool_use_id":"toolu_%d"}}`, s.turns, s.turns)
		answer, _ := s.read("control_response")
		s.line(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"ran","is_error":%t}]},"session_id":"$S"}`, s.turns, strings.Contains(answer, "deny"))
		s.say(fmt.Sprintf("allowed %t", strings.Contains(answer, `"allow"`)))
	case text == "aside": // behind a question, which it does not hear the answer of
		s.line(`{"type":"control_request","request_id":"ask_1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"toolu_1"}}`)
		time.Sleep(200 * time.Millisecond) // else it is said to the client that is asked
		s.say("By the way.")
		panic("aside")
	case text == "grow":
		s.say("Growing.")
		held := bytes.Repeat([]byte("x"), 256<<20)
		_, _ = s.read("nothing")
		s.say(string(held[:1]))
	case text == "twice": // two questions, the second a moment later
		for n := range 2 {
			s.line(`{"type":"assistant","message":{"id":"msg_c%d","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{}}]},"session_id":"$S"}`, n, n)
		}
		for n := range 2 {
			s.line(`{"type":"control_request","request_id":"ask_%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"toolu_%d"}}`, n, n)
			time.Sleep(2 * time.Millisecond)
		}
		first, _ := s.read("control_response")
		second, _ := s.read("control_response")
		s.say(fmt.Sprintf("allowed %t and %t", strings.Contains(first, `"allow"`), strings.Contains(second, `"allow"`)))
	case strings.HasPrefix(text, "withdrawn "): // so many questions; all but the last are taken back
		var asked int
		_, _ = fmt.Sscanf(text, "withdrawn %d", &asked)
		for n := range asked {
			s.line(`{"type":"control_request","request_id":"ask_%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"toolu_%d"}}`, n, n)
			if n < asked-1 {
				s.line(`{"type":"control_cancel_request","request_id":"ask_%d"}`, n)
			}
		}
		answer, _ := s.read("control_response")
		s.say(fmt.Sprintf("allowed %t", strings.Contains(answer, `"allow"`)))
	case text == "one by one": // the second question is asked when the first is answered
		for n := range 2 {
			s.line(`{"type":"control_request","request_id":"ask_%d","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"toolu_%d"}}`, n, n)
			answer, _ := s.read("control_response")
			s.say(fmt.Sprintf("answer %d allows %t", n, strings.Contains(answer, `"allow"`)))
		}
	case strings.HasSuffix(text, "slow"):
		s.say("waiting")
		if got, _ := s.read("nothing"); got == "interrupt" {
			_ = os.WriteFile("interrupted", nil, 0o600)
		}
	case strings.Contains(text, "who"):
		s.say(strings.TrimSpace(s.session + " " + strings.Trim(strings.TrimPrefix(text, "who"), "? ")))
	case text == "garbage":
		fmt.Fprint(os.Stdout, "not JSON\n{\"type\":7}\n[]\n\xff\xfe\n{\"type\":\"control_request\"}\n{\"type\":\"control_request\",\"request_id\":{},\"request\":[]}\n")
		s.say("fine")
	case text == "linger":
		s.lingers = true
		s.say("Turn 1: you said linger")
	case text == "endless":
		fmt.Fprint(os.Stdout, strings.Repeat("x", 1<<20))
		_, _ = s.read("nothing")
	case text == "flood":
		for range 2000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("e", 1000))
			s.say(strings.Repeat("f", 1000))
		}
		s.say("Turn 1: flooded")
	case text == "complain":
		fmt.Fprint(os.Stderr, "jane@example.com is unknown, E-123456 too\n-----BEGIN PRIVATE KEY-----\nQ7f3MIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----\nthat is all\n")
		s.say("Turn 1: complained")
	case text == "requests": // without an answer
		for n := range 100 {
			s.line(`{"type":"control_request","request_id":"x%d","request":{"subtype":"hook_callback"}}`, n)
		}
		s.say("Turn 1: you said requests")
	default:
		s.say(fmt.Sprintf("Turn %d: you said %s", s.turns, text))
	}
	s.result()
}

// startChild starts a process that holds stdout of the agent open, and outlives it until it is killed.
func (s *scripted) startChild() {
	child := exec.Command("sh", "-c", "trap '' TERM; while :; do sleep 1; done")
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		panic(err)
	}
}

// agentConfig is a route to a scripted agent that works in dir; more stands with the process, route with the route.
func agentConfig(t *testing.T, client, dir, more, route string) string {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`
listen: 127.0.0.1:0
upstreams:
  coder:
    command: [%q]
    dialect: claude-cli
    process: {dir: %q, set_env: {%s: "1", `+exitAtOnce+`}%s}
routes:
  - {path: /run, upstream: coder, client: %s, requests: {mode: translate}%s}
`, program, dir, scriptedAgent, more, client, route)
}

// chat sends a request in AG-UI's words.
func (r *rig) aguiTurn(thread string, messages ...string) (int, string) {
	resp, body := r.post("/run", fmt.Sprintf(`{"threadId":%q,"runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[%s]}`,
		thread, strings.Join(messages, ",")))
	return resp.StatusCode, body
}

func saidByUser(n int, text string) string {
	return fmt.Sprintf(`{"id":"u%d","role":"user","content":%q}`, n, text)
}

func saidByAgent(n int, text string) string {
	return fmt.Sprintf(`{"id":"a%d","role":"assistant","content":%q}`, n, text)
}

func wantSaid(t *testing.T, status int, body string, parts ...string) {
	t.Helper()
	if status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	for _, part := range parts {
		if !strings.Contains(body, part) {
			t.Errorf("the answer has no %q:\n%s", part, body)
		}
	}
}
