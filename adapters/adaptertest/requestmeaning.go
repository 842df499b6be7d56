package adaptertest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// requestMeaning is what a request says in any dialect: who said what, which calls were made and what came of them, which tools
// there are, which questions are answered, and the settings. What stands in several messages of one side in a row is one entry.
type requestMeaning struct {
	turns    []turn
	tools    []string
	answers  []string
	settings map[string]string
}

type turn struct {
	role  hub.Role
	texts []string
	files []string
	calls []callMeaning
}

func meaningOf(req *hub.Request) *requestMeaning {
	m := &requestMeaning{settings: map[string]string{}}
	for i := range req.Messages {
		m.add(&req.Messages[i])
	}
	m.answered(req)
	for _, t := range req.Tools.Defs {
		if t.Meta.Dialect == "" && string(t.Description) != conversation.Gone {
			m.tools = append(m.tools, string(t.Name))
		}
	}
	for _, s := range settings.All(&req.Settings) {
		switch {
		case len(*s.At) == 0:
		case s.Kind == '"':
			m.settings[s.Name] = string(*s.At)
		default:
			m.settings[s.Name] = string(rawjson.AppendCompact(nil, *s.At))
		}
	}
	return m
}

// answered lists what the agent receives about its questions: in the request, or with the calls that wait. Who dismisses a
// question does not approve.
func (m *requestMeaning) answered(req *hub.Request) {
	for i := range req.Answers {
		d := &req.Answers[i]
		m.answers = append(m.answers, fmt.Sprintf("approved %t %s", d.Decided && d.Approved, plain(d.Reason)))
	}
	for i := range req.Messages {
		for j := range req.Messages[i].Parts {
			if p := &req.Messages[i].Parts[j]; conversation.Awaited(p) {
				m.answers = append(m.answers, fmt.Sprintf("approved %t %s", p.Approval.Approved, plain(p.Approval.Reason)))
			}
		}
	}
	slices.Sort(m.answers)
}

func (m *requestMeaning) add(msg *hub.Message) {
	n := len(m.turns)
	if n == 0 || m.turns[n-1].role != msg.Role {
		m.turns = append(m.turns, turn{role: msg.Role})
		n++
	}
	now := &m.turns[n-1]
	for i := range msg.Parts {
		p := &msg.Parts[i]
		if text := string(p.Text); text == conversation.Opening || text == conversation.BesideDocuments {
			continue // the client does not say it
		}
		switch p.Kind {
		case hub.PartText, hub.PartRefusal:
			now.texts = append(now.texts, strings.Fields(plain(p.Text))...)
		case hub.PartFile:
			now.files = append(now.files, fmt.Sprintf("%d bytes, URL %s", len(p.File.Base64), plain(p.File.URL)))
		case hub.PartCall:
			now.calls = append(now.calls, callOf(p))
		}
	}
}

// callMeaning is a call with its arguments and the text of its result. Ids differ by dialect; that a result is with its call is
// what they are for.
type callMeaning struct{ name, args, result string }

func callOf(p *hub.Part) callMeaning {
	c := callMeaning{name: plain(p.Name), args: strconv.Quote(plain(p.Text))}
	if p.Value != nil {
		c.args = string(rawjson.AppendCompact(nil, p.Value))
	} else if len(p.Text) == 0 {
		c.args = "{}"
	}
	if p.Result != nil {
		ev := p.Result.Event()
		c.result = " =\n" + compact(madeName.ReplaceAllString(plain(toolresult.AppendText(nil, &ev)), "[resource]"))
	}
	return c
}

// madeName matches a file in a result with what it is called: some APIs want a name, so that one is made.
var madeName = regexp.MustCompile(`\[resource: (?:document|file)\]`)

// compact is a text without the spaces between the tokens of JSON: a value that is written on one line is the same.
func compact(text string) string {
	var json rawjson.Decoder
	if v := []byte(text); json.Valid(v) == nil {
		return string(rawjson.AppendCompact(nil, v))
	}
	return text
}

// show shows a call. Some dialects want arguments to be an object, and wrap others under one name or another, which is a loss. Where
// blocks of a result are lost, their order is.
func (c *callMeaning) show(l *hub.Losses) string {
	args := c.args
	if slices.Contains(l.Names, "messages.arguments") {
		if args[0] != '{' {
			args = `{"value":` + args + "}"
		} else if text, ok := strings.CutPrefix(args, `{"raw":`); ok {
			args = `{"value":` + text
		}
	}
	result := c.result
	if slices.Contains(l.Names, "messages.result.content") {
		lines := strings.Split(result, "\n")
		slices.Sort(lines)
		result = strings.Join(lines, "\n")
	}
	return c.name + " " + args + result
}

// isLost reports whether nothing is left of the conversation, apart from the losses.
func (m *requestMeaning) isLost(l *hub.Losses) bool {
	return m.show(l) == "" && (len(m.answers) == 0 || slices.Contains(l.Names, "answers"))
}

// diff says what got lacks of want, apart from the losses; "" for nothing.
func (m *requestMeaning) diff(got *requestMeaning, l *hub.Losses) string {
	if a, b := m.show(l), got.show(l); a != b {
		return "another conversation\n" + diff(a, b)
	}
	if a, b := strings.Join(m.tools, ","), strings.Join(got.tools, ","); a != b && !slices.Contains(l.Names, "tools") {
		return "tools " + a + " became " + b
	}
	lost := slices.Contains(l.Names, "answers") || slices.Contains(l.Names, "messages.approval")
	if a, b := strings.Join(m.answers, ","), strings.Join(got.answers, ","); a != b && !lost {
		return "answers " + a + " became " + b
	}
	for name, value := range m.settings {
		reasons := len(got.settings["effort"]+got.settings["budget"]) > 0
		if name == "summary" && reasons || name == "choices" && value == "1" {
			continue // an agent that reasons shows what it shows of that, and gives one answer
		}
		if got.settings[name] != value && !slices.Contains(l.Names, "settings."+name) {
			return fmt.Sprintf("setting %s %s became %q", name, value, got.settings[name])
		}
	}
	return ""
}

// show lists the turns that say something. System text stands first: some dialects have no other place for it, which they say.
// Turns that it stood between may be one there. Results of unknown calls stand last: some dialects have them in a message of
// the user's, before what else it says.
func (m *requestMeaning) show(l *hub.Losses) string {
	hoisted := slices.Contains(l.Names, "messages.system")
	var system, rest, lone strings.Builder
	var turns []turn
	for _, t := range m.turns {
		switch n := len(turns); {
		case t.isEmpty(l):
		case t.role == hub.RoleSystem && !hoisted:
			t.show(&system, l)
		case t.role == hub.RoleSystem:
		case t.role == hub.RoleResults:
			t.showLone(&lone, l)
		case n > 0 && turns[n-1].role == t.role:
			turns[n-1].join(&t)
		default:
			turns = append(turns, t)
		}
	}
	for i := range turns {
		turns[i].show(&rest, l)
	}
	return system.String() + rest.String() + lone.String()
}

// showLone shows results without their calls, whose names not every dialect tells.
func (t *turn) showLone(b *strings.Builder, l *hub.Losses) {
	for i := range t.calls {
		if !slices.Contains(l.Names, "messages.result") {
			fmt.Fprintf(b, "lone%s\n", t.calls[i].result)
		}
	}
}

// isEmpty reports whether nothing is left of a turn, apart from the losses.
func (t *turn) isEmpty(l *hub.Losses) bool {
	calls := len(t.calls)
	if slices.Contains(l.Names, "messages.call") {
		calls = 0
	}
	return len(t.texts)+calls == 0 && (len(t.files) == 0 || slices.Contains(l.Names, "messages.file"))
}

func (t *turn) join(next *turn) {
	t.texts = slices.Concat(t.texts, next.texts)
	t.files = slices.Concat(t.files, next.files)
	t.calls = slices.Concat(t.calls, next.calls)
}

func (t *turn) show(b *strings.Builder, l *hub.Losses) {
	fmt.Fprintf(b, "%s: %s\n", t.role, strings.Join(t.texts, " "))
	for i := range t.calls {
		if !slices.Contains(l.Names, "messages.call") {
			fmt.Fprintf(b, "  call %s\n", t.calls[i].show(l))
		}
	}
	if !slices.Contains(l.Names, "messages.file") {
		for _, file := range t.files {
			fmt.Fprintf(b, "  file %s\n", file)
		}
	}
}
