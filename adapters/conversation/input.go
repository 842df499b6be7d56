package conversation

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// SplitInput splits off what is new: the messages of the user's at the end. Agents that keep the conversation, or that are asked by
// a prompt, want nothing else. input is empty where the conversation ends with something else, such as the result of a call.
func SplitInput(ms []hub.Message) (history, input []hub.Message) {
	n := len(ms)
	for n > 0 && (ms[n-1].Role == hub.RoleUser || ms[n-1].Role == hub.RoleSystem) {
		n--
	}
	for n < len(ms) && ms[n].Role != hub.RoleUser {
		n++ // instructions stand before what the user says
	}
	return ms[:n], ms[n:]
}

// Texts are the texts of a message, joined with line feeds.
func Texts(m *hub.Message) []byte {
	return AppendTexts(nil, []hub.Message{*m}, `\n`)
}

// LostParts notes what messages hold besides text.
func LostParts(ms []hub.Message, l *hub.Losses) {
	for i := range ms {
		for j := range ms[i].Parts {
			LostPart(&ms[i].Parts[j], l)
		}
	}
}

// LostPart notes that a part has no form. Each form has a place for text.
func LostPart(p *hub.Part, l *hub.Losses) {
	switch p.Kind {
	case hub.PartFile:
		l.Add("messages.file")
	case hub.PartReasoning:
		l.Add("messages.reasoning")
	case hub.PartCall:
		l.Add("messages.call")
	case hub.PartSource:
		l.Add("messages.source")
	case hub.PartData:
		l.Add("messages.data")
	case hub.PartRaw:
		l.Add("messages.other")
	}
}

// LostNameOfFile notes what a file is called, where its form has no place for that.
func LostNameOfFile(p *hub.Part, l *hub.Losses) {
	l.AddIf("messages.file.name", len(p.File.Name)+len(p.Title)+len(p.Text) > 0)
}

// Latest are the messages of a request that are new to an agent which keeps the conversation: all where the client tells nothing
// else, or what the user says behind the history.
func Latest(req *hub.Request) []hub.Message {
	switch {
	case req.Partial:
		return req.Messages
	case len(req.Answers) > 0: // clients say nothing besides: these are the words that led to the questions
		return nil
	}
	_, input := SplitInput(req.Messages)
	return input
}

// News are what the user says among [Latest]. What the request has besides is a loss, but for what the dialect of the agent adds.
func News(req *hub.Request, dialect string, l *hub.Losses) (news []hub.Message, err error) {
	news = Said(req, l)
	l.AddIf("messages.result", len(Returned(req)) > 0)
	l.AddIf("answers", len(Decided(req)) > 0)
	LostToKeepers(req, dialect, l)
	if len(news) == 0 {
		return nil, NothingNew()
	}
	return news, nil
}

// NothingNew is the error for a request that says nothing which an agent that keeps the conversation would take.
func NothingNew() error {
	return hub.NewError(hub.ReasonMissing, "messages", -1, "the user says nothing new, and the agent takes nothing else")
}

// Said are the messages of the user's among [Latest]. Instructions, what the agent says there, and the names of users are losses.
func Said(req *hub.Request, l *hub.Losses) []hub.Message {
	said := SaidBy(req, l)
	LostNames(said, l)
	return said
}

// LostNames notes the names of those who speak, for dialects that have no place for them.
func LostNames(ms []hub.Message, l *hub.Losses) {
	for i := range ms {
		l.AddIf("messages.name", len(ms[i].Name) > 0)
	}
}

// SaidBy are the same messages for dialects that have a place for the names of users.
func SaidBy(req *hub.Request, l *hub.Losses) (said []hub.Message) {
	system, _ := Leading(req.Messages)
	l.AddIf("messages.system", len(system) > 0)
	for _, m := range Latest(req) {
		l.AddIf("messages.system", m.Role == hub.RoleSystem)
		l.AddIf("messages.call", m.Role == hub.RoleAgent)
		if m.Role == hub.RoleUser {
			said = append(said, m)
		}
	}
	return said
}

// Returned are the calls with results that are new to an agent which keeps the conversation: those that it has left to the client. It may
// have gone on talking meanwhile.
func Returned(req *hub.Request) (calls []hub.Part) {
	last := len(req.Messages) - len(before(req))
	for i, m := range req.Messages {
		for _, p := range m.Parts {
			switch {
			case p.Kind != hub.PartCall || p.Result == nil:
			case p.ClientRuns && (i >= last || p.Result.Last), i >= last && m.Role == hub.RoleResults:
				calls = append(calls, p)
			}
		}
	}
	return calls
}

// LeftBehind are the calls that wait for the client, and that the user has gone on without, each with the error that closes it: an agent
// which keeps the conversation may have no other way to learn that nothing will come.
func LeftBehind(req *hub.Request) (calls []hub.Part) {
	if req.Partial || len(Latest(req)) == 0 {
		return nil
	}
	for _, m := range before(req) {
		for _, p := range m.Parts {
			if p.Kind == hub.PartCall && p.Result == nil && !Awaited(&p) && (p.ClientRuns || p.Approval != nil) {
				p.Result = &hub.CallResult{Status: hub.StatusError, Err: []byte(leftBehind)}
				calls = append(calls, p)
			}
		}
	}
	return calls
}

// Decided are the answers to questions that are new to such an agent: those of the request, and those that stand with the calls that
// wait for them.
func Decided(req *hub.Request) []hub.Decision {
	all := slices.Clone(req.Answers)
	for _, m := range before(req) {
		for i := range m.Parts {
			if p := &m.Parts[i]; Awaited(p) {
				a := p.Approval
				all = append(all, hub.Decision{Ask: a.ID, Call: p.ID, Decided: true, Approved: a.Approved, Reason: a.Reason})
			}
		}
	}
	return all
}

// Unanswered are the calls whose questions stay open though others that were asked with them are answered, and how many these are. nil: all
// are answered, or none.
func Unanswered(req *hub.Request) (answered int, open []*hub.Part) {
	if _, input := SplitInput(req.Messages); req.Partial || len(input) > 0 {
		return 0, nil // the user has gone on
	}
	given := asksOf(req.Answers)
	for _, m := range before(req) {
		for i := range m.Parts {
			switch p := &m.Parts[i]; {
			case Awaited(p):
				answered++
			case p.Kind == hub.PartCall && p.Result == nil && p.Approval != nil && !given[string(p.Approval.ID)]:
				open = append(open, p)
			}
		}
	}
	if answered == 0 {
		return 0, nil
	}
	return answered, open
}

// asksOf are the questions that answers are to.
func asksOf(answers []hub.Decision) map[string]bool {
	asks := make(map[string]bool, len(answers))
	for i := range answers {
		asks[string(answers[i].Ask)] = true
	}
	return asks
}

// before are the messages with the calls that a request answers, and those behind them: all where the client tells nothing else, or from what the
// agent said last.
func before(req *hub.Request) []hub.Message {
	if req.Partial {
		return req.Messages
	}
	ms, _ := SplitInput(req.Messages)
	for len(ms) > 0 && ms[len(ms)-1].Role == hub.RoleSystem {
		ms = ms[:len(ms)-1]
	}
	n := max(0, len(ms)-1)
	for n > 0 && (ms[n].Joins || ms[n].Role == hub.RoleResults) {
		n--
	}
	return req.Messages[n:]
}

// LostToKeepers notes what a request has beside messages, for agents that keep the conversation: they have tools and state of their own.
// dialect is that of the agent.
func LostToKeepers(req *hub.Request, dialect string, l *hub.Losses) {
	l.AddIf("tools", len(req.Tools.Defs) > 0)
	l.AddIf("state", len(req.State) > 0)
	l.AddIf("context", len(req.Context) > 0)
	l.AddIf("extra", len(req.Extra.Raw) > 0 && req.Extra.Of(dialect) == nil)
}

// LostBefore notes what was said before, for agents that keep the conversation but begin a new one.
func LostBefore(req *hub.Request, l *hub.Losses) {
	before, _ := SplitInput(req.Messages)
	_, before = Leading(before)
	l.AddIf("messages.history", !req.Partial && len(before) > 0)
}

// Prompt returns what is new as one text, for agents that keep the conversation and take nothing else.
func Prompt(req *hub.Request, l *hub.Losses) ([]byte, error) {
	news, err := News(req, "", l)
	if err != nil {
		return nil, err
	}
	LostParts(news, l)
	text := AppendTexts(nil, news, `\n`)
	if len(text) == 0 {
		return nil, NothingLeft()
	}
	return text, nil
}
