package gemini

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
)

// appendAnswer writes a GenerateContentResponse: the only frame of a stream that has but one.
func appendAnswer(dst []byte, o hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	e := newEncoder(o).(*encoder)
	e.Answer(req)
	e.run = append(e.run, run.ID...)
	e.learnModel(&hub.Event{Kind: hub.RunStart, More: &hub.More{Model: run.Model}})
	e.makeTail()
	dst = append(dst, frameHead...)
	from := len(dst)
	spoken := conversation.Spoken(run, l)
	for _, p := range spoken {
		dst = e.wholePart(dst, p, len(dst) > from, l)
	}
	if len(dst) == from {
		dst = append(dst, emptyPart...) // readers want a part
	}
	reason, _ := genai.ReasonOf(run.Status, run.Reason)
	why := run.Err
	if len(e.malformed) > 0 && reason == "STOP" {
		reason, why = genai.MalformedCall, e.malformedWhy()
	}
	dst = append(append(append(dst, `]},"finishReason":"`...), reason...), '"')
	if len(why) > 0 {
		dst = append(append(append(dst, `,"finishMessage":"`...), why...), '"')
	}
	dst = genai.AppendSources(dst, spoken, l)
	dst = append(append(dst, ','), e.tail...)
	return append(genai.AppendCounts(dst, &run.Usage), '}')
}

// wholePart appends a part, behind a comma unless it is the first.
func (e *encoder) wholePart(dst []byte, p *hub.Part, more bool, l *hub.Losses) []byte {
	from := len(dst)
	if more {
		dst = append(dst, ',')
	}
	switch p.Kind {
	case hub.PartText, hub.PartRefusal, hub.PartReasoning:
		return e.wholeText(dst, p, l)
	case hub.PartCall:
		if p.Value != nil || len(p.Text) == 0 {
			return wholeCall(dst, p, l)
		}
		e.malformed = append(e.malformed[:0], p.Name...)
		l.Add("messages.arguments")
	case hub.PartFile:
		if grown, ok := genai.AppendFile(dst, p.File); ok {
			conversation.LostNameOfFile(p, l)
			return grown
		}
		l.Add("messages.file")
	case hub.PartData:
		l.Add("messages.data")
	}
	return dst[:from]
}

func (e *encoder) wholeText(dst []byte, p *hub.Part, l *hub.Losses) []byte {
	dst = append(append(append(dst, `{"text":"`...), p.Text...), '"')
	if p.Kind == hub.PartReasoning {
		dst = append(dst, `,"thought":true`...)
	}
	return append(ownSig(dst, p.Sig, l), '}')
}

func wholeCall(dst []byte, p *hub.Part, l *hub.Losses) []byte {
	dst = append(append(dst, `{"functionCall":{"id":"`...), p.ID...)
	dst = append(append(append(dst, `","name":"`...), p.Name...), `","args":`...)
	dst, _ = genai.AppendObject(dst, p.Value)
	return append(ownSig(append(dst, '}'), p.Sig, l), '}')
}

// ownSig appends a signature that can be one of Gemini's.
func ownSig(dst, sig []byte, l *hub.Losses) []byte {
	if !genai.IsBase64(sig) {
		l.AddIf("messages.signature", len(sig) > 0)
		return dst
	}
	return genai.AppendSig(dst, sig)
}
