package proxy

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
)

// A client of a run can make a link by which others read it without credentials, until it expires. The link is sealed with the key of the
// route: it names the run and whose it is, it cannot be made or changed without the key, and what it holds cannot be read.

const (
	// shareParameter is the link, in requests that read a run by it.
	shareParameter = "sabir_share"
	// shareForParameter asks for a link to a run, for so long.
	shareForParameter = "sabir_share_for"
)

// sharer makes links to the runs of a route, and reads them.
type sharer struct {
	seal  cipher.AEAD
	route string
	most  time.Duration
}

// link is what a link says.
type link struct {
	token string // of the run
	scope string // of its clients
}

// newSharer returns the one of a route, nil where there are no links.
func newSharer(r *route) (*sharer, error) {
	share := &r.cfg.Resume.Share
	switch {
	case share.Key == "":
		return nil, nil //nolint:nilnil // there are none
	case share.Key.Hidden():
		return nil, fmt.Errorf("the route %s: resume.share.key is hidden here: this is a configuration as it was printed", r.name)
	}
	key := sha256.Sum256([]byte(share.Key))
	block, _ := aes.NewCipher(key[:]) // fails only for a key of another size
	seal, err := cipher.NewGCM(block)
	return &sharer{seal: seal, route: r.name, most: share.TTL}, err
}

// make returns a link that can be used until then.
func (s *sharer) make(l link, until time.Time) string {
	nonce := make([]byte, s.seal.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	text := binary.BigEndian.AppendUint64(nil, uint64(until.Unix()))
	text = append(append(text, byte(len(l.token))), l.token...)
	return base64.RawURLEncoding.EncodeToString(s.seal.Seal(nonce, nonce, append(text, l.scope...), []byte(s.route)))
}

// read returns what a link says, nil if it is none of the route's or has expired.
func (s *sharer) read(text []byte, now time.Time) *link {
	data := make([]byte, base64.RawURLEncoding.DecodedLen(len(text)))
	n, err := base64.RawURLEncoding.Decode(data, text)
	if size := s.seal.NonceSize(); err != nil || n < size {
		return nil
	}
	nonce, sealed := data[:s.seal.NonceSize()], data[s.seal.NonceSize():n]
	plain, err := s.seal.Open(nil, nonce, sealed, []byte(s.route))
	if err != nil || now.Unix() >= int64(binary.BigEndian.Uint64(plain)) {
		return nil
	}
	token, rest := int(plain[8]), plain[9:]
	return &link{token: string(rest[:token]), scope: string(rest[token:])}
}

// sharedBy is the link that a request reads a run by. Nothing but reading is done by links.
func (r *route) sharedBy(req *fasthttp.Request) (l *link, is bool) {
	if r.logs == nil || r.logs.sharer == nil || !req.Header.IsGet() {
		return nil, false
	}
	text := req.URI().QueryArgs().Peek(shareParameter)
	if len(text) == 0 {
		return nil, false
	}
	return r.logs.sharer.read(text, time.Now()), true
}

// joinByLink is what a request wants that has a link, to no run if the link is not valid.
func (l *link) joinByLink(j *join) *join {
	j.must = true
	if l != nil {
		j.key = eventlog.Key{Scope: l.scope, Kind: byToken, Name: l.token}
	}
	return j
}

// errLinkTime says for how long links can be.
var errLinkTime = errors.New("the link cannot be for so long")

// answerLink answers a request of a client that comes to a run and wants a link to it, and reports whether it does.
func (s *Server) answerLink(ctx *fasthttp.RequestCtx, r *route, run *sharedRun) (asked bool, f *hub.Failure) {
	wish := ctx.QueryArgs().Peek(shareForParameter)
	if _, byLink := r.sharedBy(&ctx.Request); r.logs.sharer == nil || len(wish) == 0 || byLink {
		return false, nil
	}
	length, err := time.ParseDuration(string(wish))
	if err != nil || length < time.Second || length > r.logs.sharer.most {
		f := hub.Fail(hub.CodeUnreadable, errLinkTime)
		f.Note = fmt.Sprintf("%s must be a duration from 1s to %s.", shareForParameter, r.logs.sharer.most)
		return true, f
	}
	until := time.Now().Add(length)
	path := ctx.Path()
	body, _ := json.Marshal(map[string]string{ // texts never fail
		"path":    string(path) + "?" + shareParameter + "=" + r.logs.sharer.make(link{run.About.token, r.scopeOf(ctx)}, until),
		"expires": until.UTC().Format(time.RFC3339),
	})
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
	return true, nil
}
