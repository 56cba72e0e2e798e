// Every Markdown page of the repository is a page of the site, at its own path. Whatever else a page links to leads to
// the repository. A link that leads nowhere fails the build.
import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'

const root = path.resolve(import.meta.dirname, '../../..')
const pom = fs.readFileSync(path.join(root, 'pom.xml'), 'utf8')
const repository = `https://github.com/${pom.match(/<github\.repository>(.*?)</)[1]}`
const base = process.env.SITE_BASE ?? '/'
const notOnTheSite = ['.github/', 'README.zh-CN.md']

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

function url(page) {
  return `/${page}`.replace(/\/README\.md$/, '/').replace(/\.md$/, '')
}

function resolve(target, { path: sitePath, realPath = sitePath }) {
  if (/^([a-z]+:|#|$)/.test(target)) return target
  const page = path.relative(root, realPath)
  const [, name, anchor] = target.match(/^([^#]*)(.*)$/)
  let file = path.posix.join(path.posix.dirname(page), decodeURI(name)).replace(/\/$/, '')
  // VitePress looks for pages only, and reports what is none of them
  if (file.startsWith('..') || !fs.existsSync(path.join(root, file))) return `/${file}.md`
  if (fs.existsSync(path.join(root, file, 'README.md'))) file += '/README.md'
  const onTheSite = file.endsWith('.md') && !notOnTheSite.some((prefix) => file.startsWith(prefix))
  const kind = fs.statSync(path.join(root, file)).isDirectory() ? 'tree' : 'blob'
  return (onTheSite ? url(file) : `${repository}/${kind}/main/${file}`) + anchor
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

// The anchors of GitHub
function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
}

// Pages show what GitHub shows: no names of emojis, no Vue, and no other HTML than this
function configure(md) {
  const pages = javadocs()
  md.core.ruler.disable('emoji')
  md.core.ruler.push('links', ({ tokens, env, Token }) => {
    for (const token of tokens.filter((token) => token.children)) {
      for (const link of token.children.filter((child) => child.type === 'link_open')) {
        link.attrSet('href', resolve(link.attrGet('href'), env))
      }
      if (!/^heading/.test(tokens[tokens.indexOf(token) - 1]?.type)) {
        token.children = linkTypes(token.children, Token, pages)
      }
    }
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
  base,
  srcDir: root,
  srcExclude: ['**/src/**', '**/target/**', ...notOnTheSite.map((name) => name.replace(/\/$/, '/**'))],
  outDir: path.join(root, 'target/site'),
  cacheDir: path.join(root, 'target/site-cache'),
  // An address of this machine, in a text that says what runs there
  ignoreDeadLinks: 'localhostLinks',
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: { anchor: { slugify }, attrs: { disable: true }, config: configure },
  vite: { plugins: [resolveVue] },
  themeConfig: {
    siteTitle: 'Distributed Lock',
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'API', link: `${base}api/index.html`, target: '_self' },
      { text: 'Changes', link: '/CHANGELOG' }
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }]
  }
})
