package conversation

import (
	"bytes"
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
		if ms[i].Role == hub.RoleUser {
			s.waiting = nil
		}
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

// callSigner keeps the signatures that wait for their calls, in their order: agents count calls anew in each turn, so that an id says little.
type callSigner struct{ waiting []callSignature }

// maxWaiting bounds what is searched for each call. Models ask for a few calls at once.
const maxWaiting = 128

type callSignature struct{ id, sig []byte }

// sign takes the signatures out of the reasoning of a message, and gives calls theirs.
func (s *callSigner) sign(m *hub.Message) {
	parts := make([]hub.Part, 0, len(m.Parts)) // the conversation may be one that is remembered
	for _, p := range m.Parts {
		switch {
		case p.Kind == hub.PartCall && len(p.Sig) == 0:
			p.Sig = s.take(p.ID)
		case sealsCall(p):
			id, sig := signatures.Call(p.Sig)
			if c := unsigned(parts, id); c != nil {
				c.Sig = sig // it has come late
			} else if len(s.waiting) < maxWaiting {
				s.waiting = append(s.waiting, callSignature{id, sig})
			}
			if p.Sig = nil; len(p.Text) == 0 {
				continue
			}
		}
		parts = append(parts, p)
	}
	m.Parts = parts
}

// take returns the signature for a call: that of its id, of the id that it had before ids were made unlike, or the first.
func (s *callSigner) take(id []byte) []byte {
	if len(s.waiting) == 0 {
		return nil
	}
	at := slices.IndexFunc(s.waiting, func(w callSignature) bool { return bytes.Equal(w.id, id) })
	if at < 0 {
		at = max(0, slices.IndexFunc(s.waiting, func(w callSignature) bool { return bytes.HasPrefix(id, w.id) }))
	}
	sig := s.waiting[at].sig
	s.waiting = slices.Delete(s.waiting, at, at+1)
	return sig
}

// unsigned is the last part if it is the call of that id, without a signature.
func unsigned(parts []hub.Part, id []byte) *hub.Part {
	if len(parts) == 0 {
		return nil
	}
	p := &parts[len(parts)-1]
	if p.Kind != hub.PartCall || len(p.Sig) > 0 || !bytes.Equal(p.ID, id) {
		return nil
	}
	return p
}
