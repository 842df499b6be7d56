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
