"""Style and script of the attention viewer.

Colours come from the theme of the page where it has one (the ``--pst-color`` names),
and from the text around the viewer elsewhere, so that both colour schemes work.
"""

STYLE = """
.attention-viewer{--av-ink:var(--pst-color-text-base,currentColor);
 --av-line:var(--pst-color-link,#2f8fd6);color:var(--av-ink);
 background:var(--pst-color-background,transparent);padding:.5rem;line-height:1.2}
.attention-viewer p{margin:.25rem 0}
.attention-viewer .av-caption{font-weight:bold}
.attention-viewer .av-picture{display:grid;overflow-x:auto;
 grid-template-columns:max-content minmax(4rem,14rem) max-content}
.attention-viewer .av-queries{display:flex;flex-direction:column}
.attention-viewer button,.attention-viewer .av-keys>div{height:28px;
 box-sizing:border-box;padding:0 .5rem;font:inherit;color:inherit;white-space:nowrap}
.attention-viewer button{text-align:right;background:none;border:1px solid transparent;
 border-radius:4px;cursor:pointer}
.attention-viewer button[aria-pressed=true]{border-color:var(--av-ink);font-weight:bold}
.attention-viewer button:focus-visible{outline:2px solid var(--av-line)}
.attention-viewer select{font:inherit;color:var(--av-ink);
 background:var(--pst-color-surface,Canvas);border:1px solid currentColor}
.attention-viewer svg{width:100%;display:block}
.attention-viewer line{stroke:var(--av-line);stroke-width:3;
 vector-effect:non-scaling-stroke}
.attention-viewer .av-keys>div{display:flex;align-items:center;gap:.4rem}
.attention-viewer .av-squares{display:inline-flex;gap:2px}
.attention-viewer i{display:inline-block;width:10px;height:16px;
 background:var(--av-line);outline:1px solid var(--av-line)}
.attention-viewer .av-table{overflow-x:auto;font-size:.85em}
"""

HINTS = """\
<p>Lines show the mean of the chosen heads; squares show the heads, from left to right,
one by one.</p>
<p class="av-status" aria-live="polite">Point at a token on the left, or move with the
arrow keys.</p>"""

# ROOT and WEIGHTS are replaced by the id and by weights[layer][head][query][key].
SCRIPT = """
(()=>{const root=document.getElementById(ROOT),all=s=>[...root.querySelectorAll(s)];
const weights=WEIGHTS,buttons=all(".av-queries button"),lines=all("line");
const head=root.querySelector(".av-head"),layer=root.querySelector(".av-layer");
const status=root.querySelector(".av-status"),names=buttons.map(b=>b.textContent);
let query=0;
const mean=(heads,q)=>heads[0][q].map((_,k)=>
  heads.reduce((sum,h)=>sum+h[q][k],0)/heads.length);
function draw(speak){
  const layerHeads=weights[layer?+layer.value:0];
  const heads=+head.value<0?layerHeads:[layerHeads[+head.value]];
  const row=mean(heads,query);
  buttons.forEach((b,k)=>{b.setAttribute("aria-pressed",k===query);
    b.tabIndex=k===query?0:-1});
  lines.forEach((line,k)=>{const y=b=>b.offsetTop-buttons[0].offsetTop+14;
    line.setAttribute("y1",y(buttons[query]));line.setAttribute("y2",y(buttons[k]));
    line.setAttribute("opacity",row[k].toFixed(3))});
  all(".av-squares").forEach((box,k)=>[...box.children].forEach((square,h)=>{
    square.hidden=+head.value>=0&&h!==+head.value;
    square.style.display=square.hidden?"none":"";
    square.style.opacity=layerHeads[h][query][k]}));
  if(!speak)return;
  const best=row.map((w,k)=>[w,k]).sort((a,b)=>b[0]-a[0]).slice(0,3)
    .filter(([w])=>w>=.01);
  status.textContent=`${names[query]} looks at `+
    best.map(([w,k])=>`${names[k]} (${w.toFixed(2)})`).join(", ");
}
function fill(){
  const text=choice=>choice?choice.selectedOptions[0].text:"";
  const chosen=(layer?text(layer)+", ":"")+text(head);
  const heads=weights[layer?+layer.value:0];
  root.querySelector("caption").textContent="rows look at columns; "+chosen+
    (+head.value<0?" (mean)":"");
  all("tbody tr").forEach((tr,q)=>{
    const row=mean(+head.value<0?heads:[heads[+head.value]],q);
    [...tr.querySelectorAll("td")].forEach((td,k)=>td.textContent=row[k].toFixed(3))});
}
function choose(k,focus){query=(k+buttons.length)%buttons.length;draw(true);
  if(focus)buttons[query].focus()}
buttons.forEach((b,k)=>{["pointerenter","focus","click"].forEach(e=>
  b.addEventListener(e,()=>choose(k)))});
root.querySelector(".av-queries").addEventListener("keydown",event=>{
  const to={ArrowDown:query+1,ArrowRight:query+1,ArrowUp:query-1,ArrowLeft:query-1,
    Home:0,End:buttons.length-1}[event.key];
  if(to!==undefined){event.preventDefault();choose(to,true)}});
[head,layer].forEach(s=>s&&s.addEventListener("change",()=>{draw(true);fill()}));
draw(false)})();
"""
