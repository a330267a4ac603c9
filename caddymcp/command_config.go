package caddymcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/spf13/cobra"

	"github.com/caddymcp/caddymcp/caddymcp/access"
)

// A block is an mcp block of a config that is provisioned and does not run.
type block struct {
	*Handler
	server *caddyhttp.Server
}

// enlistKey is the context key of the *[]*block to which the handlers of a
// config add themselves.
type enlistKey struct{}

// enlist makes the handler known to a command.
func (h *Handler) enlist(ctx caddy.Context) {
	if blocks, ok := ctx.Value(enlistKey{}).(*[]*block); ok {
		server, _ := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
		*blocks = append(*blocks, &block{h, server})
	}
}

// onBlocks makes a command of a function of the mcp blocks that --server names,
// which are all without it.
func onBlocks(f func(ctx context.Context, cmd *cobra.Command, args []string, blocks []*block) (exit int, err error)) func(*cobra.Command, []string) error {
	return runs(func(ctx context.Context, cmd *cobra.Command, args []string) (int, error) {
		blocks, release, err := loadBlocks(ctx, cmd)
		if err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
		defer release()
		if blocks, err = chooseBlocks(cmd, blocks); err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
		return f(ctx, cmd, args, blocks)
	})
}

// onBlock makes a command of a function of one mcp block.
func onBlock(f func(ctx context.Context, cmd *cobra.Command, args []string, b *block) (exit int, err error)) func(*cobra.Command, []string) error {
	return onBlocks(func(ctx context.Context, cmd *cobra.Command, args []string, blocks []*block) (int, error) {
		b, err := onlyBlock(blocks)
		if err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
		return f(ctx, cmd, args, b)
	})
}

// readConfig reads the config that the flags name, as JSON.
func readConfig(ctx context.Context, cmd *cobra.Command) ([]byte, error) {
	// So that the adapter logs nothing but errors.
	if _, err := caddy.ProvisionContext(&caddy.Config{Logging: errorsOnly()}); err != nil {
		return nil, err
	}
	file, _ := cmd.Flags().GetString("config")
	adapter, _ := cmd.Flags().GetString("adapter")
	config, err := await(ctx, func() ([]byte, error) {
		config, _, _, err := caddycmd.LoadConfig(file, adapter)
		return config, err
	})
	if err != nil {
		return nil, err
	}
	if config == nil {
		return nil, errors.New("there is no Caddyfile in this folder: name a config with --config")
	}
	return caddy.RemoveMetaFields(config), nil
}

// loadBlocks provisions the HTTP app of the config that the flags name, with
// whatever other apps it asks for. The function it returns releases it all.
//
// Only errors are logged, to stderr, and storage is a folder that goes once the
// config is provisioned: that can make a certificate authority.
func loadBlocks(ctx context.Context, cmd *cobra.Command) (blocks []*block, release func(), err error) {
	raw, err := readConfig(ctx, cmd)
	if err != nil {
		return nil, nil, err
	}
	var given caddy.Config
	if err := caddy.StrictUnmarshalJSON(raw, &given); err != nil {
		return nil, nil, fmt.Errorf("decoding config: %w", err)
	}
	apps, err := quietApps(given.AppsRaw)
	if err != nil {
		return nil, nil, err
	}
	storage, err := os.MkdirTemp("", "caddymcp")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(storage) }()
	release, err = await(ctx, func() (func(), error) { return provisionBlocks(apps, storage, &blocks) })
	if err != nil {
		return nil, nil, err
	}
	if len(blocks) == 0 {
		release()
		return nil, nil, errors.New("the config has no mcp block")
	}
	slices.SortFunc(blocks, func(a, b *block) int { return cmp.Compare(a.String(), b.String()) })
	return blocks, release, nil
}

// provisionBlocks provisions the HTTP app, whose mcp blocks enlist themselves.
func provisionBlocks(apps caddy.ModuleMap, storage string, blocks *[]*block) (release func(), err error) {
	config := &caddy.Config{
		Logging:    errorsOnly(),
		StorageRaw: mustJSON(map[string]string{"module": "file_system", "root": storage}),
	}
	base, err := caddy.ProvisionContext(config)
	if err != nil {
		return nil, err
	}
	config.AppsRaw = apps // which would all be provisioned above
	ctx, release := caddy.NewContext(base)
	if _, err := ctx.WithValue(enlistKey{}, blocks).App("http"); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// errorsOnly is a logging config with nothing but errors, on stderr.
func errorsOnly() *caddy.Logging {
	return &caddy.Logging{Logs: map[string]*caddy.CustomLog{
		caddy.DefaultLoggerName: {BaseLog: caddy.BaseLog{WriterRaw: json.RawMessage(`{"output":"stderr"}`), Level: "ERROR"}},
	}}
}

// chooseBlocks are the blocks that --server names, or all.
func chooseBlocks(cmd *cobra.Command, blocks []*block) ([]*block, error) {
	choice, _ := cmd.Flags().GetString("server")
	if choice == "" {
		return blocks, nil
	}
	chosen := slices.DeleteFunc(slices.Clone(blocks), func(b *block) bool {
		return !slices.Contains([]string{b.Name, b.Path, b.place(), b.String()}, choice)
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no mcp block is called '%s': there are %s", choice, listBlocks(blocks))
	}
	return chosen, nil
}

// onlyBlock is the one block that --server has left, or that there is.
func onlyBlock(blocks []*block) (*block, error) {
	if len(blocks) > 1 {
		return nil, fmt.Errorf("choose an mcp block with --server, by its name or where it is: there are %s", listBlocks(blocks))
	}
	return blocks[0], nil
}

func listBlocks(blocks []*block) string {
	names := make([]string, len(blocks))
	for i, b := range blocks {
		names[i] = "'" + b.String() + "'"
	}
	return strings.Join(names, ", ")
}

// place is where the endpoint is, without the scheme. A site with several
// addresses has an endpoint at each.
func (b *block) place() string { return b.authority("443") + b.Path }

// authority is a host that the site answers to, with the port unless that is one
// of those that need not be said.
func (b *block) authority(unsaid ...string) string {
	host := "localhost"
	if hosts := strings.Fields(b.Auth.Site()); len(hosts) > 0 {
		host = caddy.NewReplacer().ReplaceAll(hosts[0], "")
	}
	if port := b.port(); port != "0" && !slices.Contains(unsaid, port) {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") { // IPv6
		return "[" + host + "]"
	}
	return host
}

// port is where the server of the site listens, or 0 if it has none, as on a
// unix socket.
func (b *block) port() string {
	if b.server == nil || len(b.server.Listen) == 0 {
		return "0"
	}
	address, err := caddy.ParseNetworkAddress(b.server.Listen[0])
	if err != nil { // which the server says when it starts
		return "0"
	}
	return strconv.FormatUint(uint64(address.StartPort), 10)
}

// String tells the block from others.
func (b *block) String() string { return b.Name + " at " + b.place() }

// sharesName reports whether another of the blocks has the same name.
func (b *block) sharesName(blocks []*block) bool {
	return slices.ContainsFunc(blocks, func(other *block) bool { return other != b && other.Name == b.Name })
}

// chooseCaller is the caller that --caller names. Without it, it is the only
// one there is.
func (b *block) chooseCaller(cmd *cobra.Command) (access.Caller, error) {
	callers := b.Auth.Callers()
	choice, _ := cmd.Flags().GetString("caller")
	if choice == "" && len(callers) == 1 {
		return callers[0], nil
	}
	names := make([]string, len(callers))
	for i, c := range callers {
		if names[i] = callerName(c); choice != "" && choice == names[i] {
			return c, nil
		}
	}
	if choice == "" {
		return access.Caller{}, fmt.Errorf("choose who calls with --caller: there are %s", strings.Join(names, ", "))
	}
	return access.Caller{}, fmt.Errorf("nobody is called '%s': there are %s", choice, strings.Join(names, ", "))
}

// callerName is what --caller calls a caller: the name of its token, or the
// access method.
func callerName(c access.Caller) string { return cmp.Or(c.Name, c.ID, "none") }

// incoming is a request of a caller that has been let in.
func (b *block) incoming(ctx context.Context, caller access.Caller, message string) (*incoming, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+b.authority("80", "443")+b.Path, strings.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.RemoteAddr = "127.0.0.1:0"
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), nil, b.server)
	return &incoming{handler: b.Handler, request: r, caller: caller}, nil
}

// mustJSON encodes a value that can always be encoded.
func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
