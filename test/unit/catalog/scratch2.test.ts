import { test } from 'vitest';
import fs from 'node:fs';
import { readToolSet } from '../../../src/catalog/read-tool-set.js';
import { classifyTool } from '../../../src/catalog/classify/classify-tool.js';
import { findGroupingParameter } from '../../../src/catalog/classify/find-grouping-parameter.js';
import { readParameters } from '../../../src/catalog/parameters.js';
import { screenTools } from '../../../src/catalog/screen-tools.js';
import { cleanText } from '../../../src/catalog/clean-text.js';
import { buildCatalog } from '../../../src/catalog/build-catalog.js';
test('x', () => {
  const dir = '../shared/corpus/tools/'; 
  const toolSets = fs.readdirSync(dir).map(f => readToolSet(f.replace('.json','').replace(/[^a-z0-9]+/gi,'_').toLowerCase(), JSON.parse(fs.readFileSync(dir+f,'utf8'))));
  const tools = toolSets.flatMap(s=>s.tools);
  const time = (l: string, f: (t: any)=>unknown) => { for (let i=0;i<3;i++){ const t=performance.now(); for (const x of tools) f(x); console.log(l, performance.now()-t);} };
  time('params', t => readParameters(t.inputSchema));
  time('clean', t => cleanText(t.description));
  time('group', t => findGroupingParameter(t));
  time('classify', t => classifyTool({tool:t,name:t.name,upstream:{slug:'x',trust:'validated'},curation:{},ignoreAnnotations:false}));
  const upstreams = toolSets.map(s => ({ name: s.upstream, slug: s.upstream, endpoint: {type:'http',url:'',headers:{}}, disabled:false, timeoutMs:1,connectTimeoutMs:1,maxConcurrency:1,trust:'validated',strict:true,curation:[]} as any));
  for (let i=0;i<4;i++){ let t=performance.now(); for (const s of toolSets) screenTools(s); console.log('screen', performance.now()-t);
  t=performance.now(); buildCatalog({toolSets, upstreams, builtins: [], pins: {}}); console.log('build', performance.now()-t); }
});
