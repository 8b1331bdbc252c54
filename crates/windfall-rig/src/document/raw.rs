//! JSON objects that keep the text of unmodified values.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object with keys in file order and values as text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.get())
    }

    /// Replaces a value, or appends it. `text` must be JSON.
    pub fn set(&mut self, key: &str, text: String) -> Result<(), serde_json::Error> {
        let value = RawValue::from_string(text)?;
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
        Ok(())
    }

    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(known, _)| known != key);
    }

    /// Appends items to a list, which is created if absent.
    pub fn extend(&mut self, key: &str, items: &[String]) -> Result<(), serde_json::Error> {
        if items.is_empty() {
            return Ok(());
        }
        let more = items.join(",");
        let old = self.get(key).unwrap_or("[]").trim_end();
        let head = old.strip_suffix(']').unwrap_or("[").trim_end();
        let comma = if head.trim_end().ends_with('[') { "" } else { "," };
        let text = format!("{head}{comma}{more}]");
        self.set(key, text)
    }

    pub fn text(&self) -> String {
        let field =
            |(key, value): &(String, Box<RawValue>)| format!("{}:{}", serde_json::Value::from(&**key), value.get());
        format!("{{{}}}", self.0.iter().map(field).collect::<Vec<_>>().join(","))
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
                let mut seen = std::collections::HashSet::new();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if !seen.insert(key.clone()) {
                        return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
                    }
                    fields.push((key, value));
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// The items of a list as text.
pub(crate) fn items(text: &str) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    serde_json::from_str(text)
}

/// A list of items.
pub(crate) fn list(items: &[Box<RawValue>]) -> String {
    format!("[{}]", items.iter().map(|item| item.get()).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_changed_keeps_its_text() {
        let text = r#"{"b" : [1, 2.50 ] ,"a":{"z":1e2,"y":"\u00e9"},"c":[ ]}"#;
        let mut object: Object = serde_json::from_str(text).unwrap();
        assert_eq!(object.text(), r#"{"b":[1, 2.50 ],"a":{"z":1e2,"y":"\u00e9"},"c":[ ]}"#);
        object.extend("b", &["3".into()]).unwrap();
        object.extend("c", &["4".into(), "5".into()]).unwrap();
        object.extend("d", &["6".into()]).unwrap();
        object.set("a", "7".into()).unwrap();
        assert_eq!(object.text(), r#"{"b":[1, 2.50,3],"a":7,"c":[4,5],"d":[6]}"#);
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let error = serde_json::from_str::<Object>(r#"{"a":1,"a":2}"#).unwrap_err().to_string();
        assert!(error.contains("`a` stands twice"), "{error}");
    }
}
