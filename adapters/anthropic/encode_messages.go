package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// AppendMessages writes the turns of a conversation: what stands in a row on one side is one message, and the results of calls
// begin that of the user behind them.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	dst, _ = appendMessages(dst, ms, l)
	return dst
}

// appendMessages also returns whose the last turn is.
func appendMessages(dst []byte, ms []hub.Message, l *hub.Losses) ([]byte, hub.Role) {
	w := newTurnWriter(conversation.CallIDs(ms), l)
	conversation.LostNames(ms, l)
	for i := range ms {
		if whole := ms[i].Meta.Of(dialectName); whole != nil {
			w.Turns = append(w.Turns, conversation.Turn{Role: ms[i].Role, Whole: whole})
		} else {
			w.Message(&ms[i])
		}
	}
	w.trimEnd()
	w.UserFirst(blockOfText)
	out := jsonwriter.New(dst)
	out.Open('[')
	w.Write(out, roleNames)
	out.Close(']')
	return out.Buf, w.Turns.Last()
}

// turnWriter writes the blocks of turns.
type turnWriter struct {
	conversation.TurnWriter
	answers bool // the turns are an answer, in which sources are citations: a request has only those that the API has made
}

func newTurnWriter(ids *conversation.IDs, l *hub.Losses) *turnWriter {
	w := new(turnWriter)
	w.TurnWriter = conversation.TurnWriter{IDs: ids, Losses: l, Dialect: dialectName, Form: w}
	return w
}

// roleNames are the roles that turns have.
var roleNames = map[hub.Role]string{hub.RoleSystem: roleSystem, hub.RoleUser: "user", hub.RoleAgent: "assistant"}

const roleSystem = "system"

// CallBlock implements [conversation.BlockForm].
func (w *turnWriter) CallBlock(p *hub.Part, id []byte) conversation.Block {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "tool_use")
	b.Text("id", legalid.Append(nil, id))
	b.Text("name", p.Name)
	if caller := rawjson.Get(p.Meta.Of(dialectName), "caller"); caller != nil {
		b.Value("caller", caller)
	}
	if cache := rawjson.Get(p.Meta.Of(dialectName), "cache_control"); cache != nil {
		b.Value("cache_control", cache)
	}
	b.Key("input")
	return conversation.Block{Head: b.Buf, Body: conversation.ObjectArgs(p, w.Losses), Tail: []byte("}")}
}

// trimEnd takes the white space from the end of an answer that the model is to go on from: the API refuses it.
func (w *turnWriter) trimEnd() {
	n := len(w.Turns)
	if n == 0 || w.Turns[n-1].Role != hub.RoleAgent || len(w.Turns[n-1].Blocks) == 0 {
		return
	}
	blocks := w.Turns[n-1].Blocks
	if last := &blocks[len(blocks)-1]; string(last.Head) == textHead {
		last.Body = conversation.TrimRight(last.Body)
	}
}
