package conversation

import "github.com/sabir-proxy/sabir/adapters/hub"

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
	names := map[hub.PartKind]string{
		hub.PartFile: "messages.file", hub.PartReasoning: "messages.reasoning", hub.PartCall: "messages.call",
		hub.PartSource: "messages.source", hub.PartData: "messages.data", hub.PartRaw: "messages.other",
	}
	for i := range ms {
		for j := range ms[i].Parts {
			if name := names[ms[i].Parts[j].Kind]; name != "" {
				l.Add(name)
			}
		}
	}
}

// Latest are the messages of a request that are new to an agent which keeps the conversation: all where the client tells nothing
// else, or what the user says behind the history.
func Latest(req *hub.Request) []hub.Message {
	if req.Partial {
		return req.Messages
	}
	_, input := SplitInput(req.Messages)
	return input
}

// News are what the user says among [Latest]. What the request has besides is a loss.
func News(req *hub.Request, l *hub.Losses) (news []hub.Message, err error) {
	system, _ := Leading(req.Messages)
	l.AddIf("messages.system", len(system) > 0)
	for _, m := range Latest(req) {
		l.AddIf("messages.system", m.Role == hub.RoleSystem)
		l.AddIf("messages.result", m.Role == hub.RoleResults)
		l.AddIf("messages.call", m.Role == hub.RoleAgent)
		if m.Role == hub.RoleUser {
			news = append(news, m)
		}
	}
	LostToKeepers(req, l)
	if len(news) == 0 {
		return nil, hub.NewError(hub.ReasonMissing, "messages", -1, "the user says nothing new, and the agent takes nothing else")
	}
	return news, nil
}

// LostToKeepers notes what a request has beside messages, for agents that keep the conversation: they have tools and state of their own.
func LostToKeepers(req *hub.Request, l *hub.Losses) {
	l.AddIf("tools", len(req.Tools.Defs) > 0)
	l.AddIf("state", len(req.State) > 0)
	l.AddIf("context", len(req.Context) > 0)
	l.AddIf("answers", len(req.Answers) > 0)
}

// Prompt returns what is new as one text, for agents that keep the conversation and take nothing else.
func Prompt(req *hub.Request, l *hub.Losses) ([]byte, error) {
	news, err := News(req, l)
	if err != nil {
		return nil, err
	}
	LostParts(news, l)
	return AppendTexts(nil, news, `\n`), nil
}
