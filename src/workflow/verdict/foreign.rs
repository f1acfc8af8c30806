//! Recognises clear rejections in other languages than English, for reviewers that answer in the language of the plan.

use super::prose::{Sentence, is_mark};

/// Negations.
const DENIALS: &[&str] =
    &["nicht", "kein", "keine", "keinen", "pas", "no", "não", "nao", "non", "не", "нельзя"];

/// The beginnings of words that approve. English ones have their own rules.
const APPROVING: &[&str] = &[
    "genehmig",
    "freigeb",
    "freigegeben",
    "freigabe",
    "zustimm",
    "einverstanden",
    "approuv",
    "aprob",
    "aprueb",
    "aprov",
    "approvo",
    "approvat",
    "approvare",
    "approvazione",
    "одобр",
    "принят",
    "готов",
    "listo",
    "pronto",
    "pronta",
];

/// Words that reject at the start of a clause, or after a word for the change.
const REJECTED: &[&str] = &[
    "abgelehnt",
    "zurückgewiesen",
    "refusé",
    "refusée",
    "rejeté",
    "rejetée",
    "rechazado",
    "rechazada",
    "rechazo",
    "rejeitado",
    "rejeitada",
    "reprovado",
    "reprovada",
    "recusado",
    "recusada",
    "respinto",
    "respinta",
    "rifiutato",
    "rifiutata",
    "отклонено",
    "отклонён",
    "отклонен",
    "отклоняю",
    "отклонена",
    "отказано",
];

/// Words for the change.
const CHANGES: &[&str] = &[
    "änderung",
    "commit",
    "patch",
    "pr",
    "das",
    "modification",
    "changement",
    "cambio",
    "cambios",
    "alteração",
    "mudança",
    "modifica",
    "изменение",
    "изменения",
    "правка",
];

/// Words that may come between the change and such a word.
const BETWEEN: &[&str] =
    &["wird", "ist", "werden", "sind", "hiermit", "est", "es", "está", "queda", "é", "foi", "è", "viene"];

/// Phrases that always object, unless one of the negations comes before them.
const PHRASES: &[&str] = &[
    "ich lehne",
    "lehne ich",
    "genehmige ich nicht",
    "à refaire",
    "da rifare",
    "hay que corregir",
    "modifications sont nécessaires",
    "нужно исправить",
    "надо исправить",
    "stimme nicht zu",
    "nicht mergen",
    "änderungen erforderlich",
    "änderungen nötig",
    "muss überarbeitet",
    "muss behoben",
    "muss korrigiert",
    "inakzeptabel",
    "je refuse",
    "je rejette",
    "n'approuve pas",
    "ne pas fusionner",
    "modifications requises",
    "modifications demandées",
    "modification requise",
    "changements demandés",
    "changements requis",
    "inacceptable",
    "cambios solicitados",
    "requieren cambios",
    "requiere cambios",
    "no fusionar",
    "inaceptable",
    "rejeito",
    "alterações necessárias",
    "alteração necessária",
    "alterações solicitadas",
    "mudanças solicitadas",
    "mudanças necessárias",
    "inaceitável",
    "modifiche richieste",
    "modifica richiesta",
    "modifiche necessarie",
    "inaccettabile",
    "требуются исправления",
    "требуются изменения",
    "требуются доработки",
    "требует доработки",
    "на доработку",
    "неприемлемо",
];

/// Words after which those phrases mean the opposite.
const NONE: &[&str] =
    &["keine", "keinerlei", "aucune", "aucun", "sans", "nessuna", "nenhuma", "не", "se", "ninguno"];

/// Rejections in scripts without blanks between words.
const UNSPACED: &[&str] = &[
    "不批准",
    "不予批准",
    "不予通过",
    "更改被拒绝",
    "变更被拒绝",
    "修改被拒绝",
    "必须先修复",
    "必须先修改",
    "未批准",
    "无法批准",
    "無法批准",
    "不能批准",
    "未通过",
    "未通過",
    "不通过",
    "不通過",
    "不同意",
    "驳回",
    "駁回",
    "拒绝合并",
    "拒绝批准",
    "拒绝此",
    "拒绝本",
    "拒绝该",
    "拒绝这",
    "不能合并",
    "不要合并",
    "不应合并",
    "请修改",
    "需要修改",
    "必须修改",
    "需要修复",
    "必须修复",
    "却下",
    "不承認",
    "承認できません",
    "承認できない",
    "承認しません",
    "承認しない",
    "差し戻し",
    "要修正",
    "修正が必要",
    "マージしないで",
    "マージできません",
    "拒否します",
];

/// Whether the words at a place reject.
pub(super) fn rejects(sentence: &Sentence, place: usize) -> bool {
    let word = sentence.at(place);
    if REJECTED.contains(&word) {
        let subject = sentence.skip_back(place, BETWEEN).map_or("", |at| sentence.at(at));
        return sentence.is_clause_start(place) || CHANGES.contains(&subject);
    }
    denies_approval(sentence, place) || is_phrase(sentence, place)
}

/// `Das kann ich so nicht freigeben`, `No puedo aprobar este cambio`.
fn denies_approval(sentence: &Sentence, place: usize) -> bool {
    const JOINTS: &[&str] = &["und", "aber", "et", "mais", "y", "e", "pero", "mas", "ma", "и", "но"];
    let word = sentence.at(place);
    APPROVING.iter().any(|stem| word.starts_with(stem))
        && (place.saturating_sub(5)..place)
            .rev()
            .take_while(|at| !is_mark(sentence.at(*at)) && !JOINTS.contains(&sentence.at(*at)))
            .any(|at| DENIALS.contains(&sentence.at(at)))
}

fn is_phrase(sentence: &Sentence, place: usize) -> bool {
    let before =
        sentence.skip_back(place, &["de", "weiteren", "autre", "more"]).map_or("", |at| sentence.at(at));
    let is_none = NONE.contains(&before) && !(before == "se" && sentence.before(place - 1) != "no");
    !is_none && PHRASES.iter().any(|phrase| sentence.is_phrase_at(place, phrase))
}

/// Whether a passage in Chinese or Japanese rejects.
pub(super) fn rejects_unspaced(passage: &str) -> bool {
    passage.split(['。', '！', '？', '；', '!', '?', ';']).any(|sentence| {
        let sentence = sentence.trim();
        let is_alone = ["拒绝", "拒絕", "拒否"].contains(&sentence);
        is_alone
            || UNSPACED
                .iter()
                .any(|phrase| sentence.match_indices(phrase).any(|(at, _)| stands(sentence, at, phrase)))
    })
}

/// Whether the text around a phrase does not negate it, as in `不需要修改`, `却下される`, `修正が必要な点はありません`.
fn stands(sentence: &str, at: usize, phrase: &str) -> bool {
    let (before, behind) = (&sentence[..at], &sentence[at + phrase.len()..]);
    let is_denied = ["不", "无", "無", "没", "没有", "沒有"].iter().any(|denial| before.ends_with(denial));
    let is_over =
        ["已解决", "已修复", "解决了", "ありません", "修正済み"].iter().any(|end| behind.contains(end));
    !is_denied && !is_over && !behind.starts_with("され")
}
