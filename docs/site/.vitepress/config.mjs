// Every Markdown page of the repository is a page of the site, at its own path; docs/site/start.md is the first one.
// Whatever else a page links to leads to the repository. A link that leads nowhere fails the build.
import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'

const root = path.resolve(import.meta.dirname, '../../..')
const pom = fs.readFileSync(path.join(root, 'pom.xml'), 'utf8')
// Until its owner is known, nothing leads to the repository
const name = process.env.GITHUB_REPOSITORY ?? pom.match(/<github\.repository>(.*?)</)[1]
const repository = name.startsWith('OWNER/') ? null : `https://github.com/${name}`
const base = process.env.SITE_BASE ?? '/'
const notOnTheSite = ['.github/', 'AGENTS.md', 'README.zh-CN.md']
// Alerts and the dashboard, which docs/site/build copies
const files = ['docs/prometheus', 'docs/grafana']
const places = { 'docs/site/start.md': 'index.md', 'README.md': 'overview.md' }

// Headings of the second level are groups, and the first link of each item below them is an entry
function sidebar() {
  const groups = []
  for (const line of fs.readFileSync(path.join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const heading = line.match(/^## (.+)/)
    const item = line.match(/^[-*|] *\[(.+?)\]\(([^)#]+)\)/)
    if (heading) groups.push({ text: heading[1], items: [] })
    if (item) groups.at(-1)?.items.push({ text: item[1].replaceAll('`', ''), link: url(path.posix.join('docs', item[2])) })
  }
  return groups.filter((group) => group.items.length > 0)
}

function place(page) {
  return places[page] ?? page.replace(/(^|\/)README\.md$/, '$1index.md')
}

function url(page) {
  return `/${place(page)}`.replace(/\/index\.md$/, '/').replace(/\.md$/, '')
}

function resolve(target, { path: sitePath, realPath = sitePath }) {
  if (/^([a-z]+:|#|$)/.test(target)) return target
  const page = path.relative(root, realPath)
  const [, name, anchor] = target.match(/^([^#]*)(.*)$/)
  let file = path.posix.join(path.posix.dirname(page), decodeURI(name)).replace(/\/$/, '')
  // VitePress looks for pages only, and reports what is none of them
  if (file.startsWith('..') || !fs.existsSync(path.join(root, file))) return `/${file}.md`
  if (fs.existsSync(path.join(root, file, 'README.md'))) file += '/README.md'
  if (file.endsWith('.md') && !file.includes('/src/') && !notOnTheSite.some((prefix) => file.startsWith(prefix))) return url(file) + anchor
  if (files.some((folder) => file.startsWith(`${folder}/`))) return `/${file}`
  const kind = fs.statSync(path.join(root, file)).isDirectory() ? 'tree' : 'blob'
  return repository && `${repository}/${kind}/main/${file}${anchor}`
}

// The Javadoc of the public types by their simple names; none if only the pages are built
function javadocs() {
  const pages = new Map()
  for (const module of (process.env.SITE_MODULES ?? '').split(' ').filter(Boolean)) {
    const sources = path.join(root, module, 'src/main/java')
    for (const file of fs.readdirSync(sources, { recursive: true }).filter((name) => name.endsWith('.java'))) {
      const [type, name] = [file.replaceAll('\\', '/').replace(/\.java$/, ''), path.basename(file, '.java')]
      const isPublic = new RegExp(`^public .*\\b(class|interface|enum|record) ${name}\\b`, 'm')
      if (!type.includes('/internal/') && isPublic.test(fs.readFileSync(path.join(sources, file), 'utf8'))) {
        pages.set(name, `${base}api/${type}.html`)
      }
    }
  }
  return pages
}

// Code that begins with a public type, such as `LockService` or `@DistributedLock(…)`, leads to its Javadoc
function linkTypes(children, Token, pages) {
  let depth = 0
  return children.flatMap((token) => {
    depth += { link_open: 1, link_close: -1 }[token.type] ?? 0
    const page = token.type === 'code_inline' && depth === 0 && pages.get(token.content.match(/^@?([A-Z]\w*)/)?.[1])
    if (!page) return [token]
    const open = new Token('link_open', 'a', 1)
    open.attrs = [['href', page], ['target', '_self']]
    return [open, token, new Token('link_close', 'a', -1)]
  })
}

// Takes links without a target away, and leaves their text
function withoutDeadLinks(children) {
  let dead = false
  return children.filter((token) => {
    if (token.type === 'link_open') dead = token.attrGet('href') === null
    return !(dead && token.type.startsWith('link_'))
  })
}

// The start page shows what the README says; the README leads to no language that the site does not have
function fill(source, { path: sitePath, realPath = sitePath }) {
  const page = path.relative(root, realPath ?? '')
  if (page === 'README.md') return source.replace(/^English \| .*\n/m, '')
  if (page !== 'docs/site/start.md') return source
  const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')
  const parts = {
    sentence: /^\*\*.*$/m,
    requirements: /^Requires .*(?:\n.+)*(?:\n\n\*\*Not released.*)?/m,
    snippet: /^```java\n.*?^```$/ms,
    failures: /^\| If \| With .*\n(?:\|.*\n){4}/m,
    picture: /^<picture>.*?^<\/picture>$/ms
  }
  return source.replace(/<!-- (\w+) of the README -->/g, (_, part) => readme.match(parts[part])[0]
    .replace(/]\((?!#|http)/g, '](../../').replace(/]\(#/g, '](../../README.md#').replace(/(src|srcset)="/g, '$1="../../'))
}

// A cell has the heading of its column, for screens on which the cells of a row are stacked
function labelCells(tokens) {
  let labels = [], column = 0
  tokens.forEach((token, index) => {
    if (token.type === 'table_open') labels = []
    if (token.type === 'tr_open') column = 0
    if (token.type === 'th_open') labels.push(tokens[index + 1].children.map(({ content }) => content).join(''))
    if (token.type === 'td_open' && labels[column++]) token.attrSet('data-label', labels[column - 1])
  })
}

// The anchors of GitHub
function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
}

// Pages show what GitHub shows: no names of emojis, no Vue, and no other HTML than this
function configure(md) {
  const pages = javadocs()
  md.core.ruler.disable('emoji')
  md.core.ruler.before('normalize', 'fill', (state) => { state.src = fill(state.src, state.env) })
  md.core.ruler.push('links', ({ tokens, env, Token }) => {
    for (const token of tokens.filter((token) => token.children)) {
      for (const link of token.children.filter((child) => child.type === 'link_open')) {
        const target = resolve(link.attrGet('href'), env)
        if (target) link.attrSet('href', target)
        else link.attrs = null
      }
      token.children = withoutDeadLinks(token.children)
      if (!/^heading/.test(tokens[tokens.indexOf(token) - 1]?.type)) {
        token.children = linkTypes(token.children, Token, pages)
      }
    }
    labelCells(tokens)
  })
  for (const rule of ['text', 'code_inline']) {
    const render = md.renderer.rules[rule]
    md.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
  }
  for (const rule of ['html_block', 'html_inline']) {
    md.renderer.rules[rule] = (tokens, index) => tokens[index].content
      .replaceAll(/<(?!\/?(a|br|details|img|kbd|picture|source|sub|summary|sup)\b|!--)/g, '&lt;')
      // The switch of the site decides, and not the system
      .replaceAll(/<picture>.*?srcset="(.*?)".*?<img src="(.*?)"(.*?)>.*?<\/picture>/gs,
        '<img class="only-dark" src="./$1"$3><img class="only-light" src="./$2"$3>')
  }
}

// Pages are compiled to components, and are not beside node_modules
const resolveVue = {
  name: 'resolve-vue',
  enforce: 'pre',
  resolveId(id, importer, options) {
    return /^vue($|\/)/.test(id) && /\.md$/.test(importer) ? this.resolve(id, import.meta.filename, options) : null
  }
}

export default defineConfig({
  title: 'Distributed Lock for Spring Boot',
  description: 'One annotation, and a method runs on one instance at a time',
  lang: 'en-US',
  // No page asks for a favicon.ico that is not there
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base,
  srcDir: root,
  srcExclude: ['**/src/**', '**/target/**', '**/node_modules/**', ...notOnTheSite.map((name) => name.replace(/\/$/, '/**'))],
  outDir: path.join(root, 'target/site'),
  cacheDir: path.join(root, 'target/site-cache'),
  // An address of this machine, in a text that says what runs there
  ignoreDeadLinks: 'localhostLinks',
  rewrites: place,
  markdown: { anchor: { slugify }, attrs: { disable: true }, config: configure },
  vite: { plugins: [resolveVue] },
  themeConfig: {
    siteTitle: 'Distributed Lock',
    nav: [
      { text: 'Overview', link: '/overview' },
      { text: 'Documentation', link: '/docs/' },
      ...(process.env.SITE_MODULES ? [{ text: 'API', link: `${base}api/index.html`, target: '_self' }] : []),
      { text: 'Changes', link: '/CHANGELOG' }
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    notFound: {
      quote: 'There is no such page. It may have moved: look for it with the search above.',
      linkLabel: 'To the start page',
      linkText: 'Start'
    },
    socialLinks: repository ? [{ icon: 'github', link: repository }] : []
  }
})
