package mealie

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A filter is a parsed queryFilter: clauses joined by AND and OR. Neither
// binds closer than the other: what stands right of either belongs together.
type filter struct {
	clause *clause // or else left, and, right
	left   *filter
	and    bool
	right  *filter
}

// A clause compares one attribute.
type clause struct {
	attribute string
	operator  string
	values    []string
	list      bool
}

// A filterPart is a clause as cookbooks show it.
type filterPart struct {
	LeftParenthesis    *string `json:"leftParenthesis"`
	RightParenthesis   *string `json:"rightParenthesis"`
	LogicalOperator    *string `json:"logicalOperator"`
	AttributeName      string  `json:"attributeName"`
	RelationalOperator string  `json:"relationalOperator"`
	Value              any     `json:"value"`
}

// maxFilter bounds a filter, in bytes, and so how deep it nests.
const maxFilter = 4000

// parseFilter reads a filter. Its error is what Mealie answers.
func parseFilter(text string) (*filter, []*filterPart, error) {
	if len(text) > maxFilter {
		return nil, nil, fmt.Errorf("invalid query string: it is longer than %d characters", maxFilter)
	}
	tokens, err := filterTokens(text)
	if err != nil {
		return nil, nil, err
	}
	if count(tokens, "(") != count(tokens, ")") {
		return nil, nil, fmt.Errorf("invalid query string: parenthesis are unbalanced")
	}
	p := &filterParser{tokens: tokens}
	f, err := p.expression()
	if err == nil && len(p.tokens) > 0 {
		err = p.unexpected()
	}
	if err != nil {
		return nil, nil, err
	}
	return f, p.parts, nil
}

// A token is a word, or a mark such as ( or >=.
type token struct {
	text   string
	quoted bool
	mark   bool
}

var filterToken = regexp.MustCompile(`^(?:"([^"]*)"|(<>|>=|<=|[=<>()\[\],])|[^\s"=<>()\[\],]+)`)

func filterTokens(text string) ([]token, error) {
	var tokens []token
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return tokens, nil
		}
		m := filterToken.FindStringSubmatch(text)
		switch {
		case m == nil:
			return nil, fmt.Errorf("invalid query string: a quote is not closed")
		case text[0] == '"':
			tokens = append(tokens, token{text: m[1], quoted: true})
		default:
			tokens = append(tokens, token{text: m[0], mark: m[2] != ""})
		}
		text = text[len(m[0]):]
	}
}

func count(tokens []token, mark string) int {
	n := 0
	for _, t := range tokens {
		if t.mark && t.text == mark {
			n++
		}
	}
	return n
}

type filterParser struct {
	tokens  []token
	parts   []*filterPart
	opened  string // parentheses before the next part
	logical *string
}

func (p *filterParser) unexpected() error {
	if len(p.tokens) == 0 {
		return fmt.Errorf("invalid query string: it ends too early")
	}
	return fmt.Errorf("invalid query string: unexpected '%s'", p.tokens[0].text)
}

// mark takes one of the marks, if it comes next.
func (p *filterParser) mark(marks ...string) string {
	for _, m := range marks {
		if len(p.tokens) > 0 && p.tokens[0].mark && p.tokens[0].text == m {
			p.tokens = p.tokens[1:]
			return m
		}
	}
	return ""
}

// keyword takes words, in any case, if they come next.
func (p *filterParser) keyword(keywords ...string) string {
next:
	for _, k := range keywords {
		words := strings.Fields(k)
		if len(p.tokens) < len(words) {
			continue
		}
		for i, w := range words {
			if t := p.tokens[i]; t.quoted || !strings.EqualFold(t.text, w) {
				continue next
			}
		}
		p.tokens = p.tokens[len(words):]
		return k
	}
	return ""
}

func (p *filterParser) expression() (*filter, error) {
	left, err := p.term()
	if err != nil {
		return nil, err
	}
	logical := p.keyword("AND", "OR")
	if logical == "" {
		return left, nil
	}
	p.logical = &logical
	right, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &filter{left: left, and: logical == "AND", right: right}, nil
}

func (p *filterParser) term() (*filter, error) {
	if p.mark("(") != "" {
		p.opened += "("
		f, err := p.expression()
		if err == nil && p.mark(")") == "" {
			err = p.unexpected()
		}
		if err != nil {
			return nil, err
		}
		last := p.parts[len(p.parts)-1]
		closed := ")"
		if last.RightParenthesis != nil {
			closed += *last.RightParenthesis
		}
		last.RightParenthesis = &closed
		return f, nil
	}
	c, err := p.readClause()
	if err != nil {
		return nil, err
	}
	return &filter{clause: c}, nil
}

func (p *filterParser) readClause() (*clause, error) {
	if len(p.tokens) < 2 || p.tokens[0].mark || p.tokens[0].quoted {
		return nil, p.unexpected()
	}
	c := &clause{attribute: p.tokens[0].text}
	p.tokens = p.tokens[1:]
	if c.operator = p.mark("=", "<>", ">=", "<=", ">", "<"); c.operator == "" {
		c.operator = p.keyword("IS NOT", "IS", "NOT IN", "IN", "CONTAINS ALL", "NOT LIKE", "LIKE")
	}
	if c.operator == "" {
		return nil, p.unexpected()
	}
	if err := p.readValue(c); err != nil {
		return nil, err
	}
	part := &filterPart{AttributeName: snake(c.attribute), RelationalOperator: c.operator, LogicalOperator: p.logical}
	if p.opened != "" {
		opened := p.opened
		part.LeftParenthesis, p.opened = &opened, ""
	}
	p.logical = nil
	switch {
	case c.list:
		part.Value = c.values
	case c.operator != "IS" && c.operator != "IS NOT":
		part.Value = c.values[0]
	}
	p.parts = append(p.parts, part)
	return c, nil
}

func (p *filterParser) readValue(c *clause) error {
	switch c.operator {
	case "IN", "NOT IN", "CONTAINS ALL":
		if p.mark("[") == "" {
			return fmt.Errorf("invalid query string: %s must be given a list of values enclosed by [ and ]", c.operator)
		}
		c.list = true
		for {
			v, err := p.value()
			if err != nil {
				return err
			}
			c.values = append(c.values, v)
			if p.mark(",") == "" {
				break
			}
		}
		if p.mark("]") == "" {
			return p.unexpected()
		}
		return nil
	}
	v, err := p.value()
	if err != nil {
		return err
	}
	if strings.HasPrefix(c.operator, "IS") && !strings.EqualFold(v, "null") && !strings.EqualFold(v, "none") {
		return fmt.Errorf(`invalid query string: "%s" can only be used with "NULL", not "%s"`, c.operator, v)
	}
	c.values = []string{v}
	return nil
}

// value takes one quoted text, or words up to the next mark or AND or OR.
func (p *filterParser) value() (string, error) {
	var words []string
	for len(p.tokens) > 0 && !p.tokens[0].mark {
		t := p.tokens[0]
		if t.quoted {
			if len(words) > 0 {
				return "", p.unexpected()
			}
			p.tokens = p.tokens[1:]
			return t.text, nil
		}
		if strings.EqualFold(t.text, "AND") || strings.EqualFold(t.text, "OR") {
			break
		}
		words = append(words, t.text)
		p.tokens = p.tokens[1:]
	}
	if len(words) == 0 {
		return "", p.unexpected()
	}
	return strings.Join(words, " "), nil
}

var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// snake is the name of an attribute inside of Mealie: recipeCategory is
// recipe_category.
func snake(name string) string {
	return strings.ToLower(capital.ReplaceAllString(name, "${1}_${2}"))
}
