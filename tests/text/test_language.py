from __future__ import annotations

import pytest

from lexfield.text.language import detect_language
from lexfield.text.normalise import Normalisation

TEXTS = {
    "en": "When the boat came home in the evening, there was nobody at the harbour to see it.",
    "de": "Als das Boot am Abend nach Hause kam, war niemand am Hafen, der es gesehen hätte.",
    "fr": "Quand le bateau est rentré le soir, il n'y avait personne au port pour le voir.",
    "es": "Cuando el barco volvió a casa por la tarde, no había nadie en el puerto para verlo.",
    "it": "Quando la barca tornò a casa la sera, non c'era nessuno al porto che la vedesse.",
    "lt": "Kai vakare valtis grįžo namo, uoste nebuvo nieko, kas ją būtų matęs, ir visi miegojo.",
    "lv": "Kad laiva vakarā atgriezās mājās, ostā nebija neviena, kas to redzētu, un visi gulēja.",
    "is": "Þegar báturinn kom heim um kvöldið var enginn við höfnina sem sá hann, og allir sváfu.",
    "et": "Kui paat õhtul koju jõudis, ei olnud sadamas kedagi, kes seda näeks, ja kõik magasid.",
    "hr": "Kad se brod vratio kući, u luci nije bilo nikoga tko bi ga vidio, jer su svi spavali.",
    "sl": "Ko se je čoln vrnil domov, v luki ni bilo nikogar, ki bi ga videl, in vsi so spali.",
    "ru": "Когда лодка вечером вернулась домой, в гавани не было никого, кто бы её увидел.",
    "zh": "傍晚船回来的时候，港口里没有人看见它。",
    "ja": "夕方に船が帰ってきたとき、港には誰もいなかった。",
    "ko": "저녁에 배가 돌아왔을 때 항구에는 아무도 없었다. 우리는 모두 집에 있었고 밖은 추웠다.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_recognised(language: str) -> None:
    assert detect_language(Normalisation().words(TEXTS[language])) == language


def test_too_little_or_no_language_is_unknown() -> None:
    assert detect_language([]) == "unknown"
    assert detect_language(["the", "boat"]) == "unknown"
    assert detect_language([f"x{n}" for n in range(50)]) == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        "Our scan detected CVE-2021-37136 in io.netty |Component|Version| io.netty_netty 3.10.6",
        "Add config for Aliyun OSS cnam support. Add new config for Aliyun OSS cname support",
        "Update os-maven-plugin to version 1.7.0, to support RISC-V architecture (JDK11)",
    ],
)
def test_two_words_do_not_make_a_language(text: str) -> None:
    assert detect_language(Normalisation().words(text)) in ("en", "unknown")
