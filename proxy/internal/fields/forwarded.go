package fields

import (
	"bytes"
	"net"
	"net/netip"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
)

// Header fields by which proxies tell each other where a request came from.
const (
	ForHeader   = "X-Forwarded-For"
	HostHeader  = "X-Forwarded-Host"
	ProtoHeader = "X-Forwarded-Proto"
)

// Those that are set as bytes.
var forName, hostName = []byte(ForHeader), []byte(HostHeader)

// ClaimsOrigin reports whether a header field, in small letters, says where a request came from. Only proxies that the
// configuration trusts may say so.
func ClaimsOrigin(name string) bool {
	return strings.HasPrefix(name, "x-forwarded-") || name == "forwarded" || name == "x-real-ip"
}

// HostOf is the IP address of a peer; the zero Addr for a peer that has none.
func HostOf(peer net.Addr) netip.Addr {
	if tcp, ok := peer.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	ap, err := netip.ParseAddrPort(peer.String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}

// ClientOf is who sent a request: the peer of the connection, or the client of which a trusted proxy says that it is
// behind it, and that is no such proxy itself.
func ClientOf(h *fasthttp.RequestHeader, peer net.Addr, cfg *config.Config) string {
	client := addrText(peer)
	if !cfg.Trusts(HostOf(peer)) {
		return client
	}
	list := strings.Split(string(bytes.Join(h.PeekAll(ForHeader), []byte(","))), ",")
	for i := len(list) - 1; i >= 0; i-- {
		addr := ParseForwarded(list[i])
		if !addr.IsValid() {
			break
		}
		client = addr.String()
		if !cfg.Trusts(addr) {
			break
		}
	}
	return client
}

// addrText is what peer.String is, in one piece of memory.
func addrText(peer net.Addr) string {
	tcp, ok := peer.(*net.TCPAddr)
	if !ok {
		return peer.String()
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String()
}

// ParseForwarded reads a member of X-Forwarded-For: an address, maybe with a port; the zero Addr for something else.
func ParseForwarded(s string) netip.Addr {
	s = strings.TrimSpace(s)
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	return addr.Unmap().WithZone("")
}

// SetForwarded says where the request came from. What a trusted proxy says is passed on with the proxy added; what
// anybody else says is replaced.
func SetForwarded(h, from *fasthttp.RequestHeader, peer net.Addr, secure bool, cfg *config.Config) {
	addr := HostOf(peer)
	var room [64]byte
	via, host, proto := appendForwardedName(room[:0], peer, addr), from.Host(), "http"
	if secure {
		proto = "https"
	}
	if cfg.Trusts(addr) {
		list := from.PeekAll(ForHeader)
		via = bytes.Join(append(list[:len(list):len(list)], via), []byte(", "))
		if said := firstOf(from.PeekAll(HostHeader)); said != "" {
			host = []byte(said)
		}
		switch strings.ToLower(firstOf(from.PeekAll(ProtoHeader))) {
		case "https", "wss": // some proxies name that of a WebSocket
			proto = "https"
		case "http", "ws":
			proto = "http"
		}
	}
	h.SetCanonical(forName, via)
	h.SetCanonical(hostName, host)
	SetRequest(h, ProtoHeader, proto)
}

// firstOf is the first member of a list. In those of proxies that add to what others said, it is what the client said to the first of them.
func firstOf(field [][]byte) string {
	for said := range strings.SplitSeq(List(field), ",") {
		if said = strings.TrimSpace(said); said != "" {
			return said
		}
	}
	return ""
}

// appendForwardedName appends how X-Forwarded-For names a peer.
func appendForwardedName(dst []byte, peer net.Addr, addr netip.Addr) []byte {
	if addr.IsValid() {
		return addr.AppendTo(dst)
	}
	if _, ok := peer.(*net.UnixAddr); ok {
		return append(dst, "unknown"...) // as RFC 7239 §6.3 has it
	}
	return append(dst, peer.String()...)
}
