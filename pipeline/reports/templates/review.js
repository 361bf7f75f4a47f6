const form = document.getElementById("review");
form.addEventListener("submit", event => {
  event.preventDefault();
  const answers = [];
  let open = 0;
  for (const item of form.querySelectorAll(".item")) {
    const scores = {};
    for (const chosen of item.querySelectorAll("input:checked")) scores[chosen.dataset.question] = Number(chosen.value);
    if (Object.keys(scores).length < Number(form.dataset.questions)) { open += 1; continue; }
    answers.push({pair: Number(item.dataset.pair), trial: item.dataset.trial === "yes", scores, why: item.querySelector("textarea").value});
  }
  const thing = form.dataset.thing;
  const left = open === 1 ? "1 " + thing + " is not answered yet; the file contains the others" : open + " " + thing + "s are not answered yet; the file contains the others";
  document.getElementById("left").textContent = open ? left : "all " + thing + "s are answered";
  const {reviewer, review} = form.dataset;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify({reviewer, review, answers})], {type: "application/json"}));
  link.download = reviewer + ".json";
  link.click();
});
