package upstream

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

// newPublic makes the transport of public_web. Addresses are checked when the
// connection is made, after names were resolved, so that no name can lead to
// an inner address, and a redirect cannot either.
func newPublic(ctx caddy.Context, limit int64) (*direct, error) {
	transport := &reverseproxy.HTTPTransport{NetworkProxyRaw: noProxy}
	if err := transport.Provision(ctx); err != nil {
		return nil, fmt.Errorf("preparing the transport: %w", err)
	}
	dialer := net.Dialer{
		Timeout: time.Duration(transport.DialTimeout),
		Control: func(_, address string, _ syscall.RawConn) error {
			return publicOnly(address)
		},
	}
	transport.Transport.DialContext = dialer.DialContext
	return &direct{transport: transport, max: limit}, nil
}

// errNotPublic means that an address is not on the public internet.
var errNotPublic = errors.New("the address is not public")

// publicOnly refuses an address, as a dialer gives it, that is not public.
// Tests replace isPublic.
func publicOnly(address string) error {
	ip, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(ip.Addr()) {
		return errNotPublic
	}
	return nil
}

// isPublic reports whether an address is one of the global internet. It is a
// variable so that tests can reach a server of their own.
var isPublic = public

// special are the ranges that are not, of the IANA special-purpose registries,
// and those that embed another address. Of IPv6 only 2000::/3 is global.
var special = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared, for carriers
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarking
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast
	"2001::/23",       // protocol assignments, Teredo
	"2001:db8::/32",   // documentation
	"2002::/16",       // 6to4
	"3fff::/20",       // documentation
)

// global is the part of IPv6 that is assigned to the internet.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// public tests an address against the ranges. A mapped IPv4 address is refused
// as it is, and so is one with a zone.
func public(ip netip.Addr) bool {
	if !ip.Is4() && !global.Contains(ip) {
		return false
	}
	for _, prefix := range special {
		if prefix.Contains(ip) {
			return false
		}
	}
	return true
}
