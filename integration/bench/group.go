package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// A group is the rows that are compared with one another.
type group struct {
	scheme      string
	list        list
	connections int
}

// measure measures the rows of a group in turns.
func (b *bench) measure(ctx context.Context, g group) (rows []row, err error) {
	lanes := make([]*lane, len(kinds))
	defer func() {
		for _, l := range lanes {
			if l != nil {
				l.close()
			}
		}
	}()
	for i, k := range kinds {
		if lanes[i], err = b.open(ctx, g, k); err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
	}
	for n := range b.warmUps + b.rounds {
		for i := range lanes {
			l := lanes[(n+i)%len(lanes)] // none is always the first
			f, err := l.round(ctx, b.duration)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.kind, err)
			}
			if n < b.warmUps {
				l.calls = 0
				continue
			}
			l.rounds = append(l.rounds, f)
		}
	}
	for _, l := range lanes { // of memory there is one figure for all rounds
		peak, err := l.server.peak()
		if err != nil {
			return nil, err
		}
		for i := range l.rounds {
			l.rounds[i].Memory = float64(peak) / 1e6
		}
	}
	for _, l := range lanes {
		rows = append(rows, newRow(g, l, lanes[0]))
	}
	return rows, nil
}

// open starts the process of a kind, and connects its clients.
func (b *bench) open(ctx context.Context, g group, k kind) (*lane, error) {
	dir, err := os.MkdirTemp(b.dir, "caddy")
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := site{
		Kind:      k,
		Scheme:    g.scheme,
		Address:   address,
		API:       b.api.url,
		Cert:      b.cert.certFile,
		Key:       b.cert.keyFile,
		AccessLog: filepath.Join(dir, "access.log"),
		OwnLog:    filepath.Join(dir, "caddy.log"),
	}
	config, err := s.caddyfile()
	if err != nil {
		return nil, err
	}
	l := &lane{kind: k, api: b.api, dir: dir}
	if l.server, err = startCaddy(ctx, b.caddy, dir, config, tokenEnv+"="+b.token); err != nil {
		return nil, err
	}
	if err := l.connect(ctx, g, s.URL(), b); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// connect makes the clients of a lane ready to call.
func (l *lane) connect(ctx context.Context, g group, url string, b *bench) error {
	for range g.connections {
		c := newClient(g.scheme, b.cert)
		l.clients = append(l.clients, c)
		if err := c.open(ctx, l.kind, url, b.token, g.list); err != nil {
			return err
		}
	}
	reply, err := l.clients[0].learn(ctx, l.kind, g.list)
	if err != nil {
		return err
	}
	for _, c := range l.clients {
		c.call.reply = reply
	}
	return nil
}

// freeAddress is an address of 127.0.0.1 where nothing listens.
func freeAddress() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}
