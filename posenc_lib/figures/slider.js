const frames = JSON.parse(document.getElementById("frames").textContent);
const part = (id) => document.getElementById(id);
const slider = part("slider");
const pictures = frames.picture.map((data) => {
  const image = new Image();
  image.src = "data:image/png;base64," + data; // decoded now, so that dragging does not flicker
  return image;
});
let timer = null;

function show() {
  const k = Number(slider.value);
  part("picture").src = pictures[k].src;
  part("value").textContent = frames.value[k];
  slider.setAttribute("aria-valuetext", frames.value[k]);
}

function tell() {
  const k = Number(slider.value);
  part("words").textContent = frames.words[k];
  part("caption").textContent = frames.caption[k];
  part("picture").alt = frames.alt[k];
}

function stop() {
  clearInterval(timer);
  timer = null;
  part("play").textContent = "Play";
  tell();
}

slider.addEventListener("input", () => {
  if (timer !== null) stop();
  show();
});
slider.addEventListener("change", tell); // said once the hand rests, not at every step
part("play").addEventListener("click", () => {
  if (timer !== null) return stop();
  part("play").textContent = "Pause";
  timer = setInterval(() => {
    slider.value = (Number(slider.value) + 1) % pictures.length;
    show();
  }, 200);
});
window.addEventListener("pageshow", () => { // a browser that comes back may have kept the slider's place
  show();
  tell();
});
