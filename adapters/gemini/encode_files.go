package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// file writes a file by its bytes or its address.
func (w *turnWriter) file(role hub.Role, p *hub.Part) {
	if own := p.Meta.Of(dialectName); own != nil {
		w.add(role, conversation.Block{Body: own})
		return
	}
	f := *p.File
	f.Media = genai.Media(&f)
	part, ok := fileBlock(&f)
	if !ok || len(f.Base64) == 0 && !f.OnWebOrGoogle() {
		w.losses.Add("messages.file")
		return
	}
	conversation.LostNameOfFile(p, w.losses)
	w.add(role, part)
}

// fileBlock is the part of a file. Its bytes are not copied; ok is false for a file with neither bytes nor an address.
func fileBlock(f *hub.FileRef) (part conversation.Block, ok bool) {
	const tail = `"}}`
	bytes := f.Base64
	if len(bytes) == 0 {
		whole, ok := genai.AppendFile(nil, f)
		return conversation.Block{Body: whole}, ok
	}
	head, ok := genai.AppendFile(nil, &hub.FileRef{Media: f.Media, Base64: bytes[:1]})
	return conversation.Block{Head: head[:len(head)-1-len(tail)], Body: bytes, Tail: []byte(tail)}, ok
}

// media takes the images and documents from the blocks of a result, as parts. The other blocks become text.
func (w *turnWriter) media(ev *hub.Event) (words rawjson.Value, parts []conversation.Block) {
	content := toolresult.Content(ev)
	if !toolresult.OnlyBlocks(ev) || ev.Status != hub.StatusOK {
		w.losses.AddIf("messages.result.content", !conversation.OnlyText(content))
		return content, nil
	}
	rest := jsonwriter.New(nil)
	rest.Open('[')
	for block := range rawjson.Each(content) {
		f, _ := conversation.BlockFile(block)
		if part, ok := fileBlock(&f); ok && len(f.Base64) > 0 && inResults(&f) {
			w.losses.AddIf("messages.file.name", len(f.Name) > 0)
			parts = append(parts, part)
			continue
		}
		isText := string(rawjson.Text(block, "content", "type")) == "text"
		w.losses.AddIf("messages.result.content", !isText || len(parts) > 0)
		rest.Raw(block)
	}
	rest.Close(']')
	return rest.Buf, parts
}

// inResults reports whether the API takes a file in what came of a call.
func inResults(f *hub.FileRef) bool {
	return f.IsMedia("image") || string(f.Media) == "application/pdf" || string(f.Media) == "text/plain"
}

// writeInstructions writes the texts of system messages.
func writeInstructions(w *jsonwriter.Writer, ms []hub.Message, l *hub.Losses) {
	turns := turnWriter{ids: new(conversation.IDs), losses: l}
	for i := range ms {
		turns.message(&hub.Message{Role: hub.RoleUser, Parts: ms[i].Parts})
	}
	var system conversation.Turn
	if len(turns.turns) > 0 {
		system = turns.turns[0]
	}
	if len(system.Blocks) > 0 {
		w.Key("systemInstruction")
		writeContent(w, "", system.Blocks)
	}
}
