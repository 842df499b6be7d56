package conversation

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// signedCalls gives calls the signatures that clients have kept as those of reasoning; see [signatures.SealCall].
func signedCalls(ms []hub.Message) []hub.Message {
	if !slices.ContainsFunc(ms, hasSealedCall) {
		return ms
	}
	ms = slices.Clone(ms)
	var s callSigner
	for i := range ms {
		s.learn(&ms[i])
	}
	for i := range ms {
		s.sign(&ms[i])
	}
	return ms
}

func hasSealedCall(m hub.Message) bool { return slices.ContainsFunc(m.Parts, sealsCall) }

func sealsCall(p hub.Part) bool {
	if p.Kind != hub.PartReasoning || !signatures.IsSealed(p.Sig) {
		return false
	}
	_, sig := signatures.Call(p.Sig)
	return len(sig) > 0
}

// callSigner knows which calls there are, and the signatures that name one.
type callSigner struct {
	calls   map[string]bool
	named   map[string][]byte
	waiting [][]byte // for the next call: their own has another id by now, as ids are to be unlike in a conversation
}

func (s *callSigner) learn(m *hub.Message) {
	if s.calls == nil {
		s.calls, s.named = map[string]bool{}, map[string][]byte{}
	}
	for i := range m.Parts {
		switch p := &m.Parts[i]; {
		case p.Kind == hub.PartCall:
			s.calls[string(p.ID)] = true
		case sealsCall(*p):
			id, sig := signatures.Call(p.Sig)
			s.named[string(id)] = sig
		}
	}
}

// sign takes the signatures out of the reasoning of a message, and gives calls theirs.
func (s *callSigner) sign(m *hub.Message) {
	parts := make([]hub.Part, 0, len(m.Parts)) // the conversation may be one that is remembered
	for _, p := range m.Parts {
		switch {
		case p.Kind == hub.PartCall && len(p.Sig) == 0:
			p.Sig = s.of(p.ID)
		case sealsCall(p):
			if id, sig := signatures.Call(p.Sig); !s.calls[string(id)] {
				s.waiting = append(s.waiting, sig)
			}
			if p.Sig = nil; len(p.Text) == 0 {
				continue
			}
		}
		parts = append(parts, p)
	}
	m.Parts = parts
}

func (s *callSigner) of(id []byte) []byte {
	if sig := s.named[string(id)]; sig != nil || len(s.waiting) == 0 {
		return sig
	}
	sig := s.waiting[0]
	s.waiting = s.waiting[1:]
	return sig
}
